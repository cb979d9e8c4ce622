import eu.europa.esig.dss.diagnostic.DiagnosticData;
import eu.europa.esig.dss.diagnostic.TimestampWrapper;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.validation.SignedDocumentValidator;
import eu.europa.esig.dss.validation.reports.Reports;
import java.io.File;

/** Prints what EU DSS says about each container. Arguments: PEM of the authority, then containers. */
public class Judge {
  public static void main(String[] args) {
    CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
    trusted.addCertificate(DSSUtils.loadCertificate(new File(args[0])));
    for (int i = 1; i < args.length; i++) {
      CommonCertificateVerifier verifier = new CommonCertificateVerifier();
      verifier.setTrustedCertSources(trusted);
      SignedDocumentValidator validator = SignedDocumentValidator.fromDocument(new FileDocument(args[i]));
      validator.setCertificateVerifier(verifier);
      Reports reports = validator.validateDocument();
      DiagnosticData data = reports.getDiagnosticData();
      StringBuilder line = new StringBuilder("{\"type\":\"" + data.getContainerType() + "\",\"time_stamps\":[");
      String separator = "";
      for (TimestampWrapper stamp : data.getTimestampList()) {
        line.append(separator).append("{\"intact\":").append(stamp.isMessageImprintDataIntact() && stamp.isSignatureIntact());
        line.append(",\"result\":\"").append(reports.getSimpleReport().getIndication(stamp.getId()));
        line.append("/").append(reports.getSimpleReport().getSubIndication(stamp.getId()));
        line.append("\",\"scopes\":[");
        String comma = "";
        for (var scope : stamp.getTimestampScopes()) {
          line.append(comma).append("\"").append(scope.getName()).append("\"");
          comma = ",";
        }
        line.append("]}");
        separator = ",";
      }
      System.out.println("DSS " + line + "]}");
    }
  }
}
