// Package verifier is a client for a relying party's server: it creates verifications, waits for their end,
// verifies webhooks and receipts, and decrypts claims. Package api has every call and every type.
package verifier

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"git.example/wallet-verifier/client-go/api"
)

// Verifier has the calls of one relying party. A call that the service refuses returns an *Error.
type Verifier struct {
	API *api.ClientWithResponses // The other calls, with the same retries and errors.
}

// New creates a client. baseURL is the origin of the service, token an API key or an access token. A nil
// transport means http.DefaultTransport. New sends nothing.
func New(baseURL, token string, transport http.RoundTripper) (*Verifier, error) {
	client, err := api.NewClientWithResponses(baseURL, api.WithHTTPClient(&sender{token, http.Client{Transport: transport, CheckRedirect: noRedirect}}))
	return &Verifier{client}, err
}

// Create creates a verification. An empty idempotencyKey is replaced by a random one. A retry after a lost
// response returns the same verification.
func (v *Verifier) Create(ctx context.Context, request api.CreateVerification, idempotencyKey string) (*api.CreatedVerification, error) {
	if idempotencyKey == "" {
		idempotencyKey = rand.Text()
	}
	params := &api.CreateVerificationParams{IdempotencyKey: &idempotencyKey}
	response, err := v.API.CreateVerificationWithResponse(ctx, params, request)
	if err != nil {
		return nil, err
	}
	return valueOf(response.JSON201, response.StatusCode())
}

// Get reads the current state of a verification.
func (v *Verifier) Get(ctx context.Context, verificationID string) (*api.Verification, error) {
	return v.read(ctx, verificationID, &api.ReadVerificationParams{})
}

// Wait long-polls until a verification has ended, or for the given time. Returns its state then.
func (v *Verifier) Wait(ctx context.Context, verificationID string, limit time.Duration) (*api.Verification, error) {
	deadline := time.Now().Add(limit)
	state, err := v.Get(ctx, verificationID)
	for err == nil && state.Status == "pending" && time.Until(deadline) >= time.Second {
		seconds := min(int(time.Until(deadline).Seconds()), 25)
		state, err = v.read(ctx, verificationID, &api.ReadVerificationParams{Wait: &seconds, AfterVersion: &state.Version})
	}
	return state, err
}

func (v *Verifier) read(ctx context.Context, id string, params *api.ReadVerificationParams) (*api.Verification, error) {
	response, err := v.API.ReadVerificationWithResponse(ctx, id, params)
	if err != nil {
		return nil, err
	}
	return valueOf(response.JSON200, response.StatusCode())
}

// Receipt returns the receipt of an ended verification, a compact JWS. VerifyReceipt verifies it.
func (v *Verifier) Receipt(ctx context.Context, verificationID string) (string, error) {
	response, err := v.API.ReadReceiptWithResponse(ctx, verificationID)
	if err != nil {
		return "", err
	}
	return string(response.Body), nil
}

// Redeem redeems the return_code that a browser brought to your return_url.
func (v *Verifier) Redeem(ctx context.Context, verificationID, returnCode string) (*api.Verification, error) {
	response, err := v.API.RedeemReturnCodeWithResponse(ctx, verificationID, api.Redemption{ReturnCode: returnCode})
	if err != nil {
		return nil, err
	}
	return valueOf(response.JSON200, response.StatusCode())
}

// valueOf returns the body of a success. A body of another media type does not come from the service.
func valueOf[T any](value *T, status int) (*T, error) {
	if value == nil {
		return nil, unexpected(status)
	}
	return value, nil
}

const attempts, largestBody = 4, 64 << 20
const timeout = 30 * time.Second // of one attempt, beside the time of a long poll

// A second call of these POST requests has no second effect. Others need an Idempotency-Key.
var repeatable = []string{"/cancel", "/return", "/dc-api/request", "/dc-api", "/webhook/enable", "/webhook/redeliver"}
var retried = []int{408, 425, 429, 500, 502, 503, 504}

// Error says why a call failed. Code is a code of the service or of this client. "unreachable": no whole
// response arrived, and Status is 0. "unexpected_answer": the response is not the service's.
type Error struct {
	api.Problem
	Cause error
}

func (e *Error) Error() string { return e.Code + ": " + e.Title }
func (e *Error) Unwrap() error { return e.Cause }

func unexpected(status int) *Error {
	title := fmt.Sprintf("HTTP %d with a body that is not of the service: check the address and proxies before it", status)
	return &Error{api.Problem{Code: "unexpected_answer", Title: title, Status: status, Retryable: slices.Contains(retried, status)}, nil}
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// sender sends a request, with retries. Only the status decides about a retry: a proxy may have sent the body.
type sender struct {
	token  string
	client http.Client
}

// Do returns an *Error for every response that is no success.
func (s *sender) Do(request *http.Request) (*http.Response, error) {
	for count := 1; ; count++ {
		response, pause, failure := s.attempt(request)
		if failure == nil {
			return response, nil
		}
		if count == attempts || !isRetried(request, failure.Status) {
			return nil, failure
		}
		select {
		case <-time.After(max(pause, 250*time.Millisecond<<count)):
		case <-request.Context().Done():
			return nil, failure
		}
	}
}

func (s *sender) attempt(request *http.Request) (*http.Response, time.Duration, *Error) {
	waited, _ := strconv.Atoi(request.URL.Query().Get("wait"))
	ctx, cancel := context.WithTimeout(request.Context(), timeout+time.Duration(waited)*time.Second)
	defer cancel()
	sent := request.Clone(ctx)
	sent.Header.Set("Authorization", "Bearer "+s.token)
	if request.GetBody != nil {
		sent.Body, _ = request.GetBody()
	}
	response, err := s.client.Do(sent)
	var body []byte
	if err == nil {
		defer response.Body.Close()
		body, err = io.ReadAll(http.MaxBytesReader(nil, response.Body, largestBody))
	}
	if err != nil {
		return nil, 0, &Error{api.Problem{Code: "unreachable", Title: err.Error(), Retryable: true}, err}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if response.StatusCode/100 == 2 {
		return response, 0, nil
	}
	seconds, _ := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16)
	pause := min(time.Duration(seconds)*time.Second, 30*time.Second)
	var problem api.Problem // RFC 9457
	if json.Unmarshal(body, &problem) != nil || problem.Code == "" {
		return nil, pause, unexpected(response.StatusCode)
	}
	return nil, pause, &Error{problem, nil}
}

func isRetried(request *http.Request, status int) bool {
	endsIn := func(suffix string) bool { return strings.HasSuffix(request.URL.Path, suffix) }
	again := request.Method != "POST" || request.Header.Get("Idempotency-Key") != "" || slices.ContainsFunc(repeatable, endsIn)
	return status == 429 || again && (status == 0 || slices.Contains(retried, status))
}
