// A session with the client of openapi-generator (Java, library native). Its options leave out members that
// are not set.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.VerificationsApi;
import org.openapitools.client.api.YourSettingsApi;
import org.openapitools.client.model.CreateVerification;
import org.openapitools.client.model.OutcomeRequest;

public final class Session {
  private static final LinkedBlockingQueue<String> RECEIVED = new LinkedBlockingQueue<>();

  public static void main(String[] arguments) throws Exception {
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(env("PORT"))), 0);
    server.createContext("/", Session::receive);
    server.start();
    try {
      run();
    } finally {
      server.stop(0); // its thread would keep the program alive
    }
  }

  private static void run() throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(env("VERIFIER_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + env("VERIFIER_API_KEY")));
    var verifications = new VerificationsApi(client);

    var verifiedId = create(verifications, "age_over_18");
    var produced = verifications.produceOutcome(verifiedId, outcome("verified"));
    expect("verified", produced.getVerification().getStatus());
    var view = verifications.readVerification(verifiedId, 1, 1).getVerification();
    expect(true, view.getChecks().get("age_over_18"));

    var declinedId = create(verifications, "age_over_18");
    var declined = verifications.produceOutcome(declinedId, outcome("access_denied"));
    expect("declined", declined.getVerification().getStatus());

    try {
      create(verifications, "shoe_size");
      throw new AssertionError("an unknown scope was accepted");
    } catch (ApiException refused) {
      expect(400, refused.getCode());
      var code = new ObjectMapper().readTree(refused.getResponseBody()).get("code").asText();
      expect("unsupported_scope", code);
    }

    // An event is listed soon after its outcome.
    var page = verifications.listEvents(null, 1);
    while (!page.getHasMore()) page = verifications.listEvents(null, 1);
    expect(1, page.getEvents().size());
    var tested = new YourSettingsApi(client).testWebhook();
    expect("webhook.test", tested.getEvent().getEventType().toString());

    Set<String> types = new TreeSet<>();
    for (int i = 0; i < 3; i++) types.add(String.valueOf(RECEIVED.poll(5, TimeUnit.MINUTES)));
    expect(Set.of("verification.declined", "verification.verified", "webhook.test"), types);
    System.out.printf("%s, %s, %d signed events%n", view.getStatus(),
        declined.getVerification().getStatus(), types.size());
  }

  private static String create(VerificationsApi verifications, String scope) throws ApiException {
    var body = new CreateVerification().credentialTypes(List.of("age_attestation")).scope(List.of(scope));
    return verifications.createVerification(body, null).getVerificationId();
  }

  private static OutcomeRequest outcome(String reason) {
    return new OutcomeRequest().reason(OutcomeRequest.ReasonEnum.fromValue(reason));
  }

  private static void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readNBytes(1 << 20);
      if (!isSigned(body, exchange.getRequestHeaders().getFirst("X-Service-Signature"))) {
        exchange.sendResponseHeaders(400, -1);
        return;
      }
      JsonNode event = new ObjectMapper().readTree(body);
      RECEIVED.add(event.get("event_type").asText());
      exchange.sendResponseHeaders(204, -1);
    }
  }

  private static final Pattern SIGNATURE = Pattern.compile("t=(\\d{1,12}),v1=([0-9a-f]{64})");

  private static boolean isSigned(byte[] body, String header) {
    var found = SIGNATURE.matcher(String.valueOf(header));
    if (!found.matches()) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(found.group(1))) > 300) return false;
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(env("WEBHOOK_SECRET").getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update((found.group(1) + ".").getBytes(StandardCharsets.UTF_8));
      return MessageDigest.isEqual(mac.doFinal(body), HexFormat.of().parseHex(found.group(2)));
    } catch (java.security.GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String env(String name) {
    String value = System.getenv(name);
    if (value == null) throw new IllegalStateException(name + " is not set");
    return value;
  }

  private static void expect(Object expected, Object actual) {
    if (!expected.equals(actual)) throw new AssertionError("expected " + expected + ", got " + actual);
  }
}
