import { Stack } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import * as cloudfront from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { Construct } from "constructs";
import { edgeSecretHeader, viewerAddressHeader } from "../../../shared/http/sender.ts";
import type { Edge as EdgeSettings } from "../../stages/stage-shape.ts";
import type { GeneratedSecret } from "../stores/generated-secret.ts";

export interface EdgeProps {
  readonly stageName: string;
  readonly edge: EdgeSettings;
  readonly host: string;
  /** The host at which API Gateway answers. */
  readonly target: string;
  readonly secret: GeneratedSecret;
}

/** CloudFront before the API, with a firewall that counts requests by address. It caches nothing. */
export class Edge extends Construct {
  readonly domainName: string;

  constructor(scope: Construct, id: string, { stageName, edge, host, target, secret }: EdgeProps) {
    super(scope, id);
    const { certificateArn, webAclArn, secretRotatedAt } = edge;
    const requests = new cloudfront.OriginRequestPolicy(this, "Requests", {
      // CloudFront has one list of policies for all regions of an account.
      originRequestPolicyName: `Workforce-${stageName}-${Stack.of(this).region}-requests`,
      // Also the viewer's own Host header: API Gateway finds the domain by it.
      headerBehavior: cloudfront.OriginRequestHeaderBehavior.all(viewerAddressHeader),
      queryStringBehavior: cloudfront.OriginRequestQueryStringBehavior.all(),
      cookieBehavior: cloudfront.OriginRequestCookieBehavior.none(),
    });
    const distribution = new cloudfront.Distribution(this, "Distribution", {
      // The comment changes with the secret. CloudFormation reads the secret again only if something of the
      // distribution changes.
      comment: `Workforce API, stage ${stageName}; secret of ${secretRotatedAt ?? "the first deploy"}`,
      domainNames: [host],
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      webAclId: webAclArn,
      defaultBehavior: {
        origin: new HttpOrigin(target, {
          protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
          originSslProtocols: [cloudfront.OriginSslPolicy.TLS_V1_2],
          // CloudFront keeps header values in its configuration; it cannot read a secret by itself.
          customHeaders: { [edgeSecretHeader]: secret.secret.secretValueFromJson("current").unsafeUnwrap() },
        }),
        allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
        viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
        originRequestPolicy: requests,
      },
    });
    this.domainName = distribution.distributionDomainName;
  }
}
