package walletverifier;

/** A webhook, a receipt or encrypted claims must not be used. {@code code} says why. */
public final class Refused extends Exception {
  public final String code;

  Refused(String code) {
    super(code);
    this.code = code;
  }
}
