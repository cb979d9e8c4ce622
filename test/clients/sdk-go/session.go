// A session with the Go client, against a service behind a proxy that loses responses. See scripts/clients.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	verifier "git.example/wallet-verifier/client-go"
	"git.example/wallet-verifier/client-go/api"
	"github.com/go-jose/go-jose/v4"
)

var received = make(chan *api.Event, 10)

func main() {
	count := runVectors(os.Args[1])
	ctx := context.Background()
	go func() { must(http.ListenAndServe("127.0.0.1:"+env("PORT"), http.HandlerFunc(receive))) }()
	client, err := verifier.New(env("VERIFIER_URL"), env("VERIFIER_API_KEY"), nil)
	must(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	private, public := jwk(key), jwk(&key.PublicKey)
	var recipient api.EncryptionKey
	must(json.Unmarshal(public, &recipient))

	created, err := client.Create(ctx, api.CreateVerification{
		CredentialTypes: &[]string{"pid"}, Scope: &[]string{"family_name"}, ClaimsEncryptionJwk: &recipient}, "")
	must(err)
	go func() {
		time.Sleep(time.Second) // the client is in its long poll
		_, err := client.API.ProduceOutcomeWithResponse(ctx, created.VerificationId, api.OutcomeRequest{Reason: "verified"})
		must(err)
	}()
	ended, err := client.Wait(ctx, created.VerificationId, 5*time.Minute)
	must(err)
	expect("verified", ended.Status)

	checks := verifier.Checks{JWKS: get(env("ISSUER") + "/.well-known/jwks.json"), Issuer: env("ISSUER"),
		VerificationID: created.VerificationId, Audience: env("RELYING_PARTY_ID"), PrivateJWK: private}
	claims, err := verifier.DecryptClaims(*ended.EncryptedClaims, checks)
	must(err)
	credential := claims["credentials"].([]any)[0].(map[string]any)
	expect(true, credential["claims"].(map[string]any)["family_name"] != nil)

	text, err := client.Receipt(ctx, created.VerificationId)
	must(err)
	receipt, err := verifier.VerifyReceipt(text, checks)
	must(err)
	expect("verified", receipt["status"])

	_, err = client.Create(ctx, api.CreateVerification{
		CredentialTypes: &[]string{"age_attestation"}, Scope: &[]string{"shoe_size"}}, "")
	var failure *verifier.Error
	expect(true, errors.As(err, &failure))
	expect("unsupported_scope", failure.Code)

	// The proxy redirects the first, and answers the second with a page of its own.
	for _, letter := range []string{"R", "H"} {
		_, err = client.Get(ctx, "v_"+strings.Repeat(letter, 43))
		expect(true, errors.As(err, &failure))
		expect("unexpected_answer", failure.Code)
	}

	select {
	case event := <-received:
		expect(created.VerificationId, event.VerificationId)
		expect("verification.verified", event.EventType)
	case <-time.After(5 * time.Minute):
		log.Fatal("the event did not arrive")
	}
	fmt.Printf("%d vectors, verified by long poll, claims decrypted, receipt and webhook verified\n", count)
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
	must(err)
	event, err := verifier.VerifyWebhook(body, request.Header.Get("X-Service-Signature"), []string{env("WEBHOOK_SECRET")}, time.Now())
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	received <- event
	response.WriteHeader(http.StatusNoContent)
}

func jwk(key any) []byte {
	text, err := (jose.JSONWebKey{Key: key}).MarshalJSON()
	must(err)
	return text
}

func get(address string) []byte {
	response, err := http.Get(address)
	must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(err)
	return body
}

func env(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatalf("%s is not set", name)
	}
	return value
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(expected, actual any) {
	if expected != actual {
		log.Fatalf("expected %v, got %v", expected, actual)
	}
}
