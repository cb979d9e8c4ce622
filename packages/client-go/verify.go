package verifier

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"git.example/wallet-verifier/client-go/api"
	"github.com/go-jose/go-jose/v4"
)

// Refused says why a webhook, a receipt or claims must not be used: errors.Is(err, Refused("wrong_signature")).
type Refused string

func (r Refused) Error() string { return string(r) }

var timeForm, macForm = regexp.MustCompile(`^t=[0-9]{1,15}$`), regexp.MustCompile(`^v1=[0-9A-Fa-f]{64}$`)

// VerifyWebhook verifies a webhook and returns its event. If it fails, respond with 400 and do nothing else.
// body is the body as received, signature the header X-Service-Signature. secrets has the webhook secret, or
// both during a rotation. The signature may be five minutes old. The same event may arrive more than once:
// compare EventId. The event "webhook.test" belongs to no verification.
func VerifyWebhook(body []byte, signature string, secrets []string, now time.Time) (*api.Event, error) {
	var times, macs []string
	for part := range strings.SplitSeq(signature, ",") {
		if part = strings.TrimSpace(part); strings.HasPrefix(part, "t=") {
			times = append(times, part)
		} else if macForm.MatchString(part) {
			macs = append(macs, strings.ToLower(part))
		}
	}
	if len(times) != 1 || !timeForm.MatchString(times[0]) || len(macs) == 0 {
		return nil, Refused("malformed_signature")
	}
	seconds, _ := strconv.ParseInt(times[0][2:], 10, 64)
	if now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return nil, Refused("outside_tolerance")
	}
	isSigned := slices.ContainsFunc(secrets, func(secret string) bool {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(append([]byte(times[0][2:]+"."), body...))
		expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
		return slices.ContainsFunc(macs, func(one string) bool { return hmac.Equal([]byte(one), expected) })
	})
	if !isSigned {
		return nil, Refused("wrong_signature")
	}
	var event api.Event
	if json.Unmarshal(body, &event) != nil || event.EventType == "" {
		return nil, Refused("malformed_body")
	}
	return &event, nil
}

// Checks is what a receipt or claims are compared with.
type Checks struct {
	JWKS           []byte // The body of /.well-known/jwks.json.
	Issuer         string // Base URL of the service.
	VerificationID string // Empty for a receipt: that of any verification is accepted.
	Audience       string // For claims: relying_party_id of the relying party.
	PrivateJWK     []byte // For claims: private P-256 key of the relying party, as JSON.
}

// VerifyReceipt verifies a receipt's signature, type, issuer and verification. Returns its members.
func VerifyReceipt(receipt string, checks Checks) (map[string]any, error) {
	typ, members, err := verify(receipt, checks.JWKS)
	if err != nil {
		return nil, err
	}
	if typ != "verification-receipt+jwt" { // The same keys sign access tokens and claims.
		return nil, Refused("not_a_receipt")
	}
	isExpected := checks.VerificationID == "" || members["verification_id"] == checks.VerificationID
	if members["iss"] != checks.Issuer || !isExpected {
		return nil, Refused("wrong_verification")
	}
	return members, nil
}

// DecryptClaims decrypts the claims, and verifies signature, type, issuer, audience and verification. In the
// result, "credentials" is a list with the "claims" of each credential.
func DecryptClaims(encryptedClaims string, checks Checks) (map[string]any, error) {
	jws, err := decrypt(encryptedClaims, checks.PrivateJWK)
	if err != nil {
		return nil, err
	}
	typ, members, err := verify(jws, checks.JWKS)
	if err != nil {
		return nil, err
	}
	if typ != "verification-claims+jwt" && typ != "JWT" { // "JWT" is the type of services before version 0.3.
		return nil, Refused("not_claims")
	}
	isOurs := members["iss"] == checks.Issuer && members["aud"] == checks.Audience
	if !isOurs || members["verification_id"] != checks.VerificationID {
		return nil, Refused("wrong_audience")
	}
	return members, nil
}

func verify(text string, jwks []byte) (typ any, members map[string]any, err error) {
	for part := range strings.SplitSeq(text, ".") {
		// Spare bits in the last character (RFC 4648 §3.5): two texts would be one JWS.
		if base64.RawURLEncoding.EncodeToString(decode(part)) != part {
			return nil, nil, Refused("malformed")
		}
	}
	jws, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil || jws.Signatures[0].Protected.ExtraHeaders["crit"] != nil {
		return nil, nil, Refused("malformed")
	}
	header := jws.Signatures[0].Protected
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(jwks, &set); err != nil {
		return nil, nil, err
	}
	keys := set.Key(header.KeyID)
	if len(keys) != 1 {
		return nil, nil, Refused("unknown_key")
	}
	payload, err := jws.Verify(keys[0].Key)
	if err != nil {
		return nil, nil, Refused("wrong_signature")
	}
	members, err = jsonObject(payload)
	return header.ExtraHeaders["typ"], members, err
}

func decrypt(text string, privateJWK []byte) (string, error) {
	header, err := jsonObject(decode(strings.Split(text, ".")[0]))
	if err != nil || header["epk"] == nil || strings.Count(text, ".") != 4 {
		return "", Refused("malformed")
	}
	if header["alg"] != "ECDH-ES" || header["enc"] != "A256GCM" || header["zip"] != nil || header["crit"] != nil {
		return "", Refused("unsupported_encryption")
	}
	key := jose.JSONWebKey{}
	if err := key.UnmarshalJSON(privateJWK); err != nil {
		return "", err
	}
	jwe, err := jose.ParseEncryptedCompact(text, []jose.KeyAlgorithm{jose.ECDH_ES}, []jose.ContentEncryption{jose.A256GCM})
	if err != nil {
		return "", Refused("malformed")
	}
	plaintext, err := jwe.Decrypt(key.Key)
	if err != nil {
		return "", Refused("decryption_failed")
	}
	return string(plaintext), nil
}

func decode(part string) []byte {
	bytes, _ := base64.RawURLEncoding.DecodeString(part)
	return bytes
}

func jsonObject(text []byte) (object map[string]any, err error) {
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, Refused("malformed")
	}
	return object, nil
}
