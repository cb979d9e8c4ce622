package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	verifier "git.example/wallet-verifier/client-go"
)

type members map[string]json.RawMessage

// arguments has the members of all three kinds of cases.
type arguments struct {
	Name, Accepts, Error string
	Body, Signature      string
	Secrets              []string
	Now                  int64
	Receipt, Issuer      string
	Audience             string
	VerificationID       string          `json:"verification_id"`
	EncryptedClaims      string          `json:"encrypted_claims"`
	JWKS                 json.RawMessage `json:"jwks"`
	PrivateJWK           json.RawMessage `json:"private_jwk"`
}

func (a arguments) checks() verifier.Checks {
	return verifier.Checks{JWKS: a.JWKS, Issuer: a.Issuer, VerificationID: a.VerificationID, Audience: a.Audience, PrivateJWK: a.PrivateJWK}
}

// decide returns the member of the result that the vectors name.
var decide = map[string]func(arguments) (any, error){
	"webhooks": func(a arguments) (any, error) {
		event, err := verifier.VerifyWebhook([]byte(a.Body), a.Signature, a.Secrets, time.Unix(a.Now, 0))
		if err != nil {
			return "", err
		}
		return event.EventType, nil
	},
	"receipts": func(a arguments) (any, error) {
		members, err := verifier.VerifyReceipt(a.Receipt, a.checks())
		return members["verification_id"], err
	},
	"claims": func(a arguments) (any, error) {
		members, err := verifier.DecryptClaims(a.EncryptedClaims, a.checks())
		return members["verification_id"], err
	},
}

// runVectors gives the shared vectors to the client. It ends the program if there is a difference.
func runVectors(path string) int {
	text, err := os.ReadFile(path)
	must(err)
	var kinds map[string]struct {
		Good  members
		Cases []members
	}
	must(json.Unmarshal(text, &kinds))
	count, differences := 0, 0
	for kind, vectors := range kinds {
		for _, changes := range vectors.Cases {
			merged := maps.Clone(vectors.Good)
			maps.Copy(merged, changes)
			text, err := json.Marshal(merged)
			must(err)
			var one arguments
			must(json.Unmarshal(text, &one))
			actual, err := decide[kind](one)
			var refused verifier.Refused
			isRight := err == nil && actual == one.Accepts && one.Error == ""
			if errors.As(err, &refused) {
				isRight = one.Error != "" && string(refused) == one.Error
			}
			count++
			if !isRight {
				differences++
				fmt.Printf("%s, %s: expected %q or %q, got %v, %v\n", kind, one.Name, one.Accepts, one.Error, actual, err)
			}
		}
	}
	if differences > 0 {
		os.Exit(1)
	}
	return count
}
