import { CfnOutput, Stack } from "aws-cdk-lib";
import * as apigateway from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CloudFrontTarget } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import type { Stage } from "../../stages/stages.ts";
import { Edge, type EdgeProps } from "./edge.ts";

export type ApiDomainProps = NonNullable<Stage["customDomain"]> & {
  readonly api: apigateway.HttpApi;
  readonly stage: apigateway.IStage;
  /** The edge before the domain, if the stage has one. */
  readonly edge?: Omit<EdgeProps, "host" | "target"> | undefined;
};

/** A domain of its own for an API. The stack's outputs name the DNS records it needs. */
export class ApiDomain extends Construct {
  constructor(scope: Construct, id: string, { name, certificateArn, api, stage, edge }: ApiDomainProps) {
    super(scope, id);
    const domainName = new apigateway.DomainName(this, "Name", {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      securityPolicy: apigateway.SecurityPolicy.TLS_1_2,
      ipAddressType: apigateway.IpAddressType.DUAL_STACK,
    });
    new apigateway.ApiMapping(this, "Mapping", { api, domainName, stage });
    const stack = Stack.of(this);
    new CfnOutput(stack, "CustomBaseUrl", { value: `https://${name}` });
    const { regionalDomainName: target } = domainName;
    const before = edge && new Edge(this, "Edge", { ...edge, host: name, target });
    new CfnOutput(stack, "CustomDomainTarget", {
      description: `What a CNAME or alias record of ${name} must point to`,
      value: before?.domainName ?? target,
    });
    new CfnOutput(stack, "CustomDomainHostedZone", {
      description: "Hosted zone of that target, for an alias record in Route 53",
      value: before ? CloudFrontTarget.CLOUDFRONT_ZONE_ID : domainName.regionalHostedZoneId,
    });
  }
}
