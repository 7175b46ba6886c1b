import { CfnOutput, Stack } from "aws-cdk-lib";
import * as apigateway from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import * as cloudfront from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { CloudFrontTarget } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import { edgeSecretHeader, viewerAddressHeader } from "../../../shared/http/event.ts";
import type { Edge, Stage } from "../../stages/stage-shape.ts";
import type { GeneratedSecret } from "../stores/generated-secret.ts";

/** CloudFront before a domain, and the secret by which it proves itself. */
interface EdgeSettings {
  readonly stageName: string;
  readonly edge: Edge;
  readonly secret: GeneratedSecret;
}

type DomainSettings = NonNullable<Stage["customDomain"]> & {
  readonly api: apigateway.HttpApi;
  readonly stage: apigateway.IStage;
  readonly before?: EdgeSettings | undefined;
};

/** Adds a domain of its own for an API. The stack's outputs name the DNS records it needs. */
export function addDomain(scope: Construct, { name, certificateArn, api, stage, before }: DomainSettings): void {
  const domainName = new apigateway.DomainName(scope, "Name", {
    domainName: name,
    certificate: Certificate.fromCertificateArn(scope, "Certificate", certificateArn),
    securityPolicy: apigateway.SecurityPolicy.TLS_1_2,
    ipAddressType: apigateway.IpAddressType.DUAL_STACK,
  });
  new apigateway.ApiMapping(scope, "Mapping", { api, domainName, stage });
  const stack = Stack.of(scope);
  new CfnOutput(stack, "CustomBaseUrl", { value: `https://${name}` });
  const { regionalDomainName: target } = domainName;
  const edge = before && addEdge(new Construct(scope, "Edge"), before, { host: name, target });
  new CfnOutput(stack, "CustomDomainTarget", {
    description: `What a CNAME or alias record of ${name} must point to`,
    value: edge?.distributionDomainName ?? target,
  });
  new CfnOutput(stack, "CustomDomainHostedZone", {
    description: "Hosted zone of that target, for an alias record in Route 53",
    value: edge ? CloudFrontTarget.CLOUDFRONT_ZONE_ID : domainName.regionalHostedZoneId,
  });
}

/** Adds CloudFront before the API, with a firewall that counts requests by address. It caches nothing. */
function addEdge(
  scope: Construct,
  { stageName, edge: { certificateArn, webAclArn, secretRotatedAt }, secret }: EdgeSettings,
  { host, target }: { readonly host: string; readonly target: string },
): cloudfront.Distribution {
  const requests = new cloudfront.OriginRequestPolicy(scope, "Requests", {
    // CloudFront has one list of policies for all regions of an account.
    originRequestPolicyName: `Workforce-${stageName}-${Stack.of(scope).region}-requests`,
    // Also the viewer's own Host header: API Gateway finds the domain by it.
    headerBehavior: cloudfront.OriginRequestHeaderBehavior.all(viewerAddressHeader),
    queryStringBehavior: cloudfront.OriginRequestQueryStringBehavior.all(),
    cookieBehavior: cloudfront.OriginRequestCookieBehavior.none(),
  });
  return new cloudfront.Distribution(scope, "Distribution", {
    // The comment changes with the secret. CloudFormation reads the secret again only if something of the
    // distribution changes.
    comment: `Workforce API, stage ${stageName}; secret of ${secretRotatedAt ?? "the first deploy"}`,
    domainNames: [host],
    certificate: Certificate.fromCertificateArn(scope, "Certificate", certificateArn),
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
}
