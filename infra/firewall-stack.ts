import { type App, CfnOutput } from "aws-cdk-lib";
import { CfnWebACL } from "aws-cdk-lib/aws-wafv2";
import { confirmLogin } from "../shared/contract/accounts.ts";
import { edgeSecretHeader } from "../shared/http/event.ts";
import { globalRegion, StageStack } from "./stage-stack.ts";
import { namesOf } from "./stages/names.ts";
import type { Stage } from "./stages/stage-shape.ts";

/** Most requests of one address in a minute. A site of 500 people behind one address needs about a fifth of it. */
const requestsPerMinute = 3_000;
/**
 * Most of them that change accounts and sessions. 500 people who sign in within ten minutes need a sixth of it, and a
 * stage's `anonymousThrottle` is at least five times as much.
 */
export const accountRequestsPerMinute = 300;
/** The shortest window that AWS WAF counts in; a refused client tries again after as long. */
const windowSeconds = 60;

/**
 * The firewall before a stage's edge. It is a stack of its own because CloudFront accepts only firewalls of us-east-1.
 * It must be deployed before a stage names its ARN.
 */
export class FirewallStack extends StageStack {
  constructor(app: App, stage: Stage) {
    const { firewall } = namesOf(stage.name);
    super(app, firewall, { stage, about: `firewall of the stage ${stage.name}`, region: globalRegion });
    const webAcl = new CfnWebACL(this, "WebAcl", {
      name: firewall,
      scope: "CLOUDFRONT",
      defaultAction: { allow: {} },
      dataProtectionConfig: { dataProtections: secretHeaders.map(replaceHeader) },
      // The account's other stages have firewalls too, and CloudWatch distinguishes them by this name.
      visibilityConfig: visibilityOf(firewall),
      rules: [
        { name: "account-requests", limit: accountRequestsPerMinute, scopeDownStatement: changesAccounts },
        { name: "all-requests", limit: requestsPerMinute },
      ].map(rateRule),
    });
    new CfnOutput(this, "WebAclArn", { value: webAcl.attrArn });
  }
}

/** Passwords, pins and refresh tokens can be tried by POST and PUT below one path, and pins also by one GET there. */
const changesAccounts: CfnWebACL.StatementProperty = {
  orStatement: {
    statements: [
      allOf(matches({ uriPath: {} }, "STARTS_WITH", "/api/v1/users"), {
        orStatement: { statements: ["POST", "PUT"].map((method) => matches({ method: {} }, "EXACTLY", method)) },
      }),
      allOf(matches({ uriPath: {} }, "EXACTLY", confirmLogin.path), matches({ method: {} }, "EXACTLY", "GET")),
    ],
  },
};

interface RateRule {
  readonly name: string;
  readonly limit: number;
  readonly scopeDownStatement?: CfnWebACL.StatementProperty;
}

/** Refuses an address with 429 while it sends more requests a minute than the limit. */
function rateRule({ name, limit, scopeDownStatement }: RateRule, priority: number): CfnWebACL.RuleProperty {
  return {
    priority,
    name,
    statement: {
      rateBasedStatement: {
        aggregateKeyType: "IP",
        evaluationWindowSec: windowSeconds,
        limit,
        scopeDownStatement,
      },
    },
    action: {
      block: {
        customResponse: {
          responseCode: 429,
          responseHeaders: [{ name: "retry-after", value: String(windowSeconds) }],
        },
      },
    },
    visibilityConfig: visibilityOf(name),
  };
}

function allOf(...statements: CfnWebACL.StatementProperty[]): CfnWebACL.StatementProperty {
  return { andStatement: { statements } };
}

function matches(
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  positionalConstraint: string,
  searchString: string,
): CfnWebACL.StatementProperty {
  // A path may contain percent escapes for any of its characters.
  const textTransformations = [{ priority: 0, type: fieldToMatch.uriPath ? "URL_DECODE" : "NONE" }];
  return { byteMatchStatement: { fieldToMatch, positionalConstraint, searchString, textTransformations } };
}

/** Headers that authenticate somebody. The firewall's samples and logs show none of them. */
const secretHeaders = ["authorization", "known-client", edgeSecretHeader];

function replaceHeader(name: string): CfnWebACL.DataProtectProperty {
  return { action: "SUBSTITUTION", field: { fieldType: "SINGLE_HEADER", fieldKeys: [name] } };
}

function visibilityOf(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
