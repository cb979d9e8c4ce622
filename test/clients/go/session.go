// A session with the client of oapi-codegen: generated with default options.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"

	"generated-client-go/verifier"
)

var received = make(chan verifier.Event, 10)

func main() {
	client, err := verifier.NewClientWithResponses(env("VERIFIER_URL"), verifier.WithRequestEditorFn(authorize))
	must(err)
	go func() { must(http.ListenAndServe("127.0.0.1:"+env("PORT"), http.HandlerFunc(receive))) }()
	ctx := context.Background()

	verifiedID := create(ctx, client)
	produced, err := client.ProduceOutcomeWithResponse(ctx, verifiedID, verifier.OutcomeRequest{Reason: "verified"})
	must(err)
	expect("verified", produced.JSON200.Verification.Status)

	wait, version := 1, 1
	read, err := client.ReadVerificationWithResponse(ctx, verifiedID,
		&verifier.ReadVerificationParams{Wait: &wait, AfterVersion: &version})
	must(err)
	kind, err := read.JSON200.Discriminator()
	must(err)
	expect("verification", kind)
	view, err := read.JSON200.AsVerification()
	must(err)
	expect(true, (*view.Checks)["age_over_18"])

	declinedID := create(ctx, client)
	declined, err := client.ProduceOutcomeWithResponse(ctx, declinedID, verifier.OutcomeRequest{Reason: "access_denied"})
	must(err)
	expect("declined", declined.JSON200.Verification.Status)

	wrong, err := client.CreateVerificationWithResponse(ctx, nil, verifier.CreateVerification{
		CredentialTypes: &[]string{"age_attestation"}, Scope: &[]string{"shoe_size"}})
	must(err)
	expect("unsupported_scope", wrong.ApplicationproblemJSON400.Code)

	// An event is listed soon after its outcome.
	limit := 1
	for listed := false; !listed; {
		page, err := client.ListEventsWithResponse(ctx, &verifier.ListEventsParams{Limit: &limit})
		must(err)
		listed = len(page.JSON200.Events) == 1 && page.JSON200.HasMore
	}

	tested, err := client.TestWebhookWithResponse(ctx)
	must(err)
	expect("webhook.test", string(tested.JSON200.Event.EventType))

	types := map[string]bool{}
	for range 3 {
		select {
		case event := <-received:
			types[event.EventType] = true
		case <-time.After(5 * time.Minute):
			log.Fatal("an event did not arrive")
		}
	}
	for _, name := range []string{"verification.verified", "verification.declined", "webhook.test"} {
		expect(true, types[name])
	}
	fmt.Printf("%s, %s, %d signed events\n", view.Status, declined.JSON200.Verification.Status, len(types))
}

func create(ctx context.Context, client *verifier.ClientWithResponses) string {
	created, err := client.CreateVerificationWithResponse(ctx, nil, verifier.CreateVerification{
		CredentialTypes: &[]string{"age_attestation"}, Scope: &[]string{"age_over_18"}})
	must(err)
	expect(http.StatusCreated, created.StatusCode())
	return created.JSON201.VerificationId
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
	var event verifier.Event
	if err != nil || !isSigned(body, request.Header.Get("X-Service-Signature")) || json.Unmarshal(body, &event) != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	received <- event
	response.WriteHeader(http.StatusNoContent)
}

var signature = regexp.MustCompile(`^t=(\d{1,12}),v1=([0-9a-f]{64})$`)

func isSigned(body []byte, header string) bool {
	found := signature.FindStringSubmatch(header)
	if found == nil {
		return false
	}
	seconds, _ := strconv.ParseInt(found[1], 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); age.Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(env("WEBHOOK_SECRET")))
	mac.Write(append([]byte(found[1]+"."), body...))
	return hmac.Equal([]byte(found[2]), []byte(hex.EncodeToString(mac.Sum(nil))))
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+env("VERIFIER_API_KEY"))
	return nil
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

func expect[T comparable](expected, actual T) {
	if expected != actual {
		log.Fatalf("expected %v, got %v", expected, actual)
	}
}
