package walletverifier;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.nimbusds.jose.*;
import com.nimbusds.jose.crypto.ECDHDecrypter;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.util.Base64URL;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import walletverifier.api.ApiClient;
import walletverifier.model.Event;

/** Verifies what the service signs: webhooks, receipts, and the claims for the relying party. */
public final class Signatures {
  private static final Duration TOLERANCE = Duration.ofMinutes(5);
  /** {@code JWT} is the type of services before version 0.3. The same keys sign access tokens and receipts. */
  private static final Set<String> CLAIMS_TYPES = Set.of("verification-claims+jwt", "JWT");
  private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

  private Signatures() {}

  /**
   * Verifies a webhook and returns its event. If it is refused, respond with 400 and do nothing else. {@code
   * body} is the body as received, {@code signature} the header X-Service-Signature, null if absent. {@code
   * secrets} has the webhook secret, or both during a rotation. The same event may arrive more than once:
   * compare its id. The event {@code webhook.test} belongs to no verification.
   */
  public static Event verifyWebhook(byte[] body, String signature, List<String> secrets, Instant now) throws Refused {
    var times = new ArrayList<String>();
    var macs = new ArrayList<byte[]>();
    for (String part : String.valueOf(signature).split(",")) {
      var field = part.strip();
      if (field.startsWith("t=")) times.add(field.substring(2));
      if (field.matches("v1=[0-9A-Fa-f]{64}")) macs.add(HexFormat.of().parseHex(field.substring(3)));
    }
    boolean hasTime = times.size() == 1 && times.get(0).matches("[0-9]{1,15}");
    if (!hasTime || macs.isEmpty()) throw new Refused("malformed_signature");
    var signedAt = Instant.ofEpochSecond(Long.parseLong(times.get(0)));
    if (Duration.between(signedAt, now).abs().compareTo(TOLERANCE) > 0) throw new Refused("outside_tolerance");
    for (String secret : secrets) {
      var expected = hmac(secret, times.get(0) + ".", body);
      if (macs.stream().anyMatch(mac -> MessageDigest.isEqual(mac, expected))) return eventOf(body);
    }
    throw new Refused("wrong_signature");
  }

  private static Event eventOf(byte[] body) throws Refused {
    try {
      var event = JSON.readValue(body, Event.class);
      if (event != null && event.getEventType() != null) return event;
    } catch (IOException notAnEvent) {
      // Falls through to the error.
    }
    throw new Refused("malformed_body");
  }

  private static byte[] hmac(String secret, String time, byte[] body) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update(time.getBytes(StandardCharsets.UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible); // every Java has HmacSHA256
    }
  }

  /**
   * Verifies a receipt's signature, type, issuer and verification, and returns its members. {@code jwks} is the
   * body of /.well-known/jwks.json, {@code issuer} the base URL of the service. A null {@code verificationId}
   * accepts the receipt of any verification.
   */
  public static JsonNode verifyReceipt(String receipt, String jwks, String issuer, String verificationId) throws Refused {
    var members = verify(receipt, jwks, Set.of("verification-receipt+jwt"), "not_a_receipt");
    boolean isExpected = verificationId == null || has(members, "verification_id", verificationId);
    if (!has(members, "iss", issuer) || !isExpected) throw new Refused("wrong_verification");
    return members;
  }

  /** Expected origin and recipient of claims. {@code privateJwk} and {@code jwks} are JSON. */
  public record ClaimsChecks(String privateJwk, String jwks, String issuer, String audience, String verificationId) {}

  /**
   * Decrypts the claims, and verifies their signature, type, issuer, audience and verification. The member
   * {@code credentials} of the result is a list with the {@code claims} of each credential.
   */
  public static JsonNode decryptClaims(String encryptedClaims, ClaimsChecks checks) throws Refused {
    var members = verify(decrypt(encryptedClaims, checks.privateJwk), checks.jwks, CLAIMS_TYPES, "not_claims");
    boolean isOurs = has(members, "iss", checks.issuer) && has(members, "aud", checks.audience);
    if (!isOurs || !has(members, "verification_id", checks.verificationId)) throw new Refused("wrong_audience");
    return members;
  }

  private static JsonNode verify(String text, String jwks, Set<String> types, String otherType) throws Refused {
    for (String part : text.split("\\.", -1)) {
      // Spare bits in the last character (RFC 4648 §3.5): two texts would be one JWS.
      if (!Base64URL.encode(new Base64URL(part).decode()).toString().equals(part)) throw new Refused("malformed");
    }
    try {
      var jws = JWSObject.parse(text);
      var header = jws.getHeader();
      boolean isKnown = header.getAlgorithm().equals(JWSAlgorithm.ES256) && header.getCriticalParams() == null;
      if (!isKnown) throw new Refused("malformed");
      var key = keyOf(jwks, header.getKeyID());
      if (!jws.verify(new ECDSAVerifier(key))) throw new Refused("wrong_signature");
      var members = jsonObject(jws.getPayload().toString());
      if (header.getType() == null || !types.contains(header.getType().getType())) throw new Refused(otherType);
      return members;
    } catch (ParseException | IllegalArgumentException error) {
      throw new Refused("malformed");
    } catch (JOSEException error) {
      throw new Refused("wrong_signature");
    }
  }

  /** Finds the one key with this name. */
  private static ECKey keyOf(String jwks, String kid) throws Refused {
    var found = new ArrayList<JsonNode>();
    for (JsonNode key : jsonObject(jwks).path("keys")) {
      boolean isP256 = has(key, "kty", "EC") && has(key, "crv", "P-256");
      if (isP256 && (kid == null || has(key, "kid", kid))) found.add(key);
    }
    if (found.size() != 1) throw new Refused("unknown_key");
    return key(found.get(0)).build();
  }

  private static String decrypt(String text, String privateJwk) throws Refused {
    try {
      var jwe = JWEObject.parse(text);
      var header = jwe.getHeader();
      boolean hasMore = header.getCompressionAlgorithm() != null || header.getCriticalParams() != null;
      boolean isKnown = header.getAlgorithm().equals(JWEAlgorithm.ECDH_ES) && !hasMore;
      if (!isKnown || !header.getEncryptionMethod().equals(EncryptionMethod.A256GCM)) throw new Refused("unsupported_encryption");
      var own = jsonObject(privateJwk);
      jwe.decrypt(new ECDHDecrypter(key(own).d(new Base64URL(own.path("d").asText())).build()));
      return jwe.getPayload().toString();
    } catch (ParseException | IllegalArgumentException error) {
      throw new Refused("malformed");
    } catch (JOSEException error) {
      throw new Refused("decryption_failed");
    }
  }

  /** Imports a key without {@code use} and {@code key_ops}: the caller chose it. */
  private static ECKey.Builder key(JsonNode jwk) {
    return new ECKey.Builder(Curve.P_256, new Base64URL(jwk.path("x").asText()), new Base64URL(jwk.path("y").asText()));
  }

  private static boolean has(JsonNode object, String member, String value) {
    return object.path(member).isTextual() && object.path(member).asText().equals(value);
  }

  private static JsonNode jsonObject(String text) throws Refused {
    try {
      JsonNode object = JSON.readTree(text);
      if (object.isObject()) return object;
    } catch (IOException notJson) {
      // Falls through to the error.
    }
    throw new Refused("malformed");
  }
}
