// A session with the Java client, against a service behind a proxy that loses responses. See scripts/clients.

import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import walletverifier.Refused;
import walletverifier.Signatures;
import walletverifier.Verifier;
import walletverifier.VerifierException;
import walletverifier.model.CreateVerification;
import walletverifier.model.EncryptionKey;
import walletverifier.model.Event;
import walletverifier.model.OutcomeRequest;

public final class Session {
  private static final LinkedBlockingQueue<Event> RECEIVED = new LinkedBlockingQueue<>();

  public static void main(String[] arguments) throws Exception {
    int vectors = Vectors.run(Path.of(arguments[0]));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(env("PORT"))), 0);
    server.createContext("/", Session::receive);
    server.start();
    try {
      run();
    } finally {
      server.stop(0); // its thread would keep the program alive
    }
    System.out.println(vectors + " vectors, verified by long poll, claims decrypted, receipt and webhook verified");
  }

  private static void run() throws Exception {
    var verifier = new Verifier(env("VERIFIER_URL"), env("VERIFIER_API_KEY"));
    var key = new ECKeyGenerator(Curve.P_256).generate();
    var recipient = new EncryptionKey().kty(EncryptionKey.KtyEnum.EC).crv(EncryptionKey.CrvEnum.P_256)
        .x(key.getX().toString()).y(key.getY().toString());
    var request = new CreateVerification().credentialTypes(List.of("pid")).scope(List.of("family_name"))
        .claimsEncryptionJwk(recipient);
    var id = verifier.create(request, null).getVerificationId();
    var answered = CompletableFuture.runAsync(() -> answer(verifier, id));
    var ended = verifier.waitForEnd(id, Duration.ofMinutes(5));
    answered.join();
    expect("verified", ended.getStatus());

    var address = HttpRequest.newBuilder(URI.create(env("ISSUER") + "/.well-known/jwks.json")).build();
    var jwks = HttpClient.newHttpClient().send(address, BodyHandlers.ofString()).body();
    var checks = new Signatures.ClaimsChecks(key.toJSONString(), jwks, env("ISSUER"), env("RELYING_PARTY_ID"), id);
    var claims = Signatures.decryptClaims(ended.getEncryptedClaims(), checks);
    expect(true, claims.at("/credentials/0/claims/family_name").isTextual());
    var receipt = Signatures.verifyReceipt(verifier.receipt(id), jwks, env("ISSUER"), id);
    expect("verified", receipt.path("status").asText());

    try {
      verifier.create(new CreateVerification().credentialTypes(List.of("age_attestation")).scope(List.of("shoe_size")), null);
      throw new AssertionError("an unknown scope was accepted");
    } catch (VerifierException failure) {
      expect("unsupported_scope", failure.code);
    }

    // The proxy redirects the first, and answers the second with a page of its own.
    for (String letter : List.of("R", "H")) {
      try {
        verifier.get("v_" + letter.repeat(43));
        throw new AssertionError("an answer of another server was accepted");
      } catch (VerifierException failure) {
        expect("unexpected_answer", failure.code);
      }
    }

    var event = RECEIVED.poll(5, TimeUnit.MINUTES);
    expect(id, event == null ? "no event" : event.getVerificationId());
    expect("verification.verified", event.getEventType());
  }

  private static void answer(Verifier verifier, String id) {
    try {
      Thread.sleep(1000); // the client is in its long poll
      var outcome = new OutcomeRequest().reason(OutcomeRequest.ReasonEnum.VERIFIED);
      verifier.call(false, () -> verifier.verifications.produceOutcome(id, outcome));
    } catch (InterruptedException | VerifierException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private static void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readNBytes(1 << 20);
      var signature = exchange.getRequestHeaders().getFirst("X-Service-Signature");
      try {
        RECEIVED.add(Signatures.verifyWebhook(body, signature, List.of(env("WEBHOOK_SECRET")), Instant.now()));
        exchange.sendResponseHeaders(204, -1);
      } catch (Refused refused) {
        exchange.sendResponseHeaders(400, -1);
      }
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
