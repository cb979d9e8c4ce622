package walletverifier;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.*;
import walletverifier.api.*;
import walletverifier.model.*;

/** Calls of one relying party. */
public final class Verifier {
  private static final int ATTEMPTS = 4;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final ExecutorService threads = Executors.newCachedThreadPool(Verifier::daemon);
  private final ApiClient client;
  private final HttpClient http;
  /** The other calls, for {@link #call}. */
  public final VerificationsApi verifications;
  public final YourSettingsApi settings;

  /** {@code baseUrl} is the origin of the service, {@code token} an API key or an access token. Sends nothing. */
  public Verifier(String baseUrl, String token) {
    this(baseUrl, token, HttpClient.newBuilder());
  }

  /** {@code builder} may have a proxy or a TLS context of your own. */
  public Verifier(String baseUrl, String token, HttpClient.Builder builder) {
    client = new ApiClient(builder.followRedirects(HttpClient.Redirect.NEVER), ApiClient.createDefaultObjectMapper(), baseUrl);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    http = client.getHttpClient();
    verifications = new VerificationsApi(client);
    settings = new YourSettingsApi(client);
  }

  /**
   * Creates a verification. A null {@code idempotencyKey} is replaced by a random one. A retry after a lost
   * response returns the same verification.
   */
  public CreatedVerification create(CreateVerification request, String idempotencyKey) throws VerifierException {
    var key = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
    return call(true, () -> verifications.createVerification(request, key));
  }

  /** Reads the current state of a verification. */
  public Verification get(String verificationId) throws VerifierException {
    return call(true, () -> verifications.readVerification(verificationId, null, null));
  }

  /** Long-polls until a verification has ended, or for this time. Returns its state then. */
  public Verification waitForEnd(String verificationId, Duration limit) throws VerifierException {
    long deadline = System.nanoTime() + limit.toNanos();
    var state = get(verificationId);
    while (state.getStatus().equals("pending")) {
      int seconds = (int) Math.min(Duration.ofNanos(deadline - System.nanoTime()).toSeconds(), 25);
      if (seconds < 1) break;
      var version = state.getVersion();
      state = call(true, TIMEOUT.plusSeconds(seconds), () -> verifications.readVerification(verificationId, seconds, version));
    }
    return state;
  }

  /** Returns the receipt of an ended verification, a compact JWS. {@link Signatures#verifyReceipt} verifies it. */
  public String receipt(String verificationId) throws VerifierException {
    var address = URI.create(client.getBaseUri() + "/v1/verify/" + ApiClient.urlEncode(verificationId) + "/receipt");
    var request = HttpRequest.newBuilder(address);
    client.getRequestInterceptor().accept(request);
    return call(true, () -> {
      var response = http.send(request.build(), BodyHandlers.ofString());
      var type = response.headers().firstValue("Content-Type").orElse("");
      if (type.startsWith("application/verification-receipt+jwt")) return response.body();
      throw new ApiException(response.statusCode(), response.headers(), response.body());
    });
  }

  /** Redeems the {@code return_code} that a browser brought to your {@code return_url}. */
  public Verification redeem(String verificationId, String returnCode) throws VerifierException {
    return call(true, () -> verifications.redeemReturnCode(verificationId, new Redemption().returnCode(returnCode)));
  }

  /** A call of the generated client. */
  public interface Call<T> {
    T run() throws ApiException, IOException, InterruptedException;
  }

  /**
   * Makes a call, with up to four attempts. {@code isRepeatable}: false if a second call would have a second
   * effect. Such a call is repeated after 429 only. Only the status decides: a proxy may have sent the body.
   */
  public <T> T call(boolean isRepeatable, Call<T> call) throws VerifierException {
    return call(isRepeatable, TIMEOUT, call);
  }

  private <T> T call(boolean isRepeatable, Duration limit, Call<T> call) throws VerifierException {
    for (int count = 1; ; count++) {
      long pause = 250L << count;
      VerifierException failure;
      try {
        return attempt(limit, call);
      } catch (ApiException error) {
        failure = VerifierException.of(error);
        pause = pauseOf(error, pause);
      }
      int status = failure.status;
      boolean isRetried = isRepeatable && (status == 0 || VerifierException.RETRIED.contains(status)) || status == 429;
      if (count == ATTEMPTS || !isRetried || Thread.currentThread().isInterrupted()) throw failure;
      try {
        Thread.sleep(pause);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw failure;
      }
    }
  }

  /** Runs one attempt with a deadline for the whole response, which {@code HttpRequest} has not. */
  private <T> T attempt(Duration limit, Call<T> call) throws ApiException {
    var future = threads.submit(call::run);
    try {
      return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof ApiException error) throw error;
      throw new ApiException(failed.getCause());
    } catch (TimeoutException late) {
      throw new ApiException("no response within " + limit.toSeconds() + " s");
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ApiException(stopped);
    } finally {
      future.cancel(true);
    }
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "wallet-verifier");
    thread.setDaemon(true);
    return thread;
  }

  /** Reads {@code Retry-After} in seconds. Other forms count as absent. */
  private static long pauseOf(ApiException error, long otherwise) {
    if (error.getResponseHeaders() == null) return otherwise;
    var seconds = error.getResponseHeaders().firstValue("Retry-After").filter(text -> text.matches("[0-9]{1,9}"));
    return seconds.map(text -> Math.min(Long.parseLong(text), 30) * 1000).orElse(otherwise);
  }
}
