/** The audience of every stage's access tokens (D4). */
export const tokenAudience = "workforce-api";

/** The alias that callers call in a canary stage; CodeDeploy and `npm run rollback` move it. */
export const liveAlias = "live";

/**
 * The AWS names of resources that a stage must never lose, and of resources by which tools find a stage. They are
 * fixed: CloudFormation cannot replace a resource whose name is taken, so a change that would lose it fails instead.
 */
export function namesOf(stageName: string) {
  return {
    /** The tags of everything that can carry any. */
    tags: { service: "workforce-api", stage: stageName },
    stack: `Workforce-${stageName}`,
    /** The stack and the firewall before the stage's edge, in us-east-1. */
    firewall: `Workforce-${stageName}-firewall`,
    /** The stack with the check of the stage from outside, in us-east-1. */
    outside: `Workforce-${stageName}-outside`,
    hmacSecret: `workforce/${stageName}/hmac-key`,
    signingSecret: `workforce/${stageName}/signing-keys`,
    edgeSecret: `workforce/${stageName}/edge-secret`,
    eventBus: `workforce-${stageName}`,
    /** The bus of the service's outgoing events (D42). */
    outboundBus: `workforce-${stageName}-outbound`,
    /** `source` of these events. */
    eventSource: `urn:workforce:${stageName}`,
    backupVault: `workforce-${stageName}`,
    /** The role that restores backups. IAM has one list of roles for all regions of an account. */
    restoreRole: (region: string) => `workforce-${stageName}-${region}-restore`,
    onCallRole: (region: string) => `workforce-${stageName}-${region}-on-call`,
    repairRole: (region: string) => `workforce-${stageName}-${region}-repair`,
    /** The rule that notices when somebody takes that role. */
    repairRule: `workforce-${stageName}-repair-role-taken`,
    /** The budget, of which AWS has one list for all regions of an account. */
    budget: (region: string) => `Workforce-${stageName}-${region}`,
    api: `workforce-${stageName}`,
    /** The configuration set that sends e-mails in SES. */
    configurationSet: `workforce-${stageName}`,
    /**
     * Log group of the requests to the API. The prefix spares an account-wide resource policy that has a size limit.
     */
    accessLogs: `/aws/vendedlogs/workforce-${stageName}/access`,
    /** SSM parameter with the commit of the functions, and its history. */
    release: `/workforce/${stageName}/release`,
    /** Path of the SSM parameters that name forgotten people, one each; no stack contains them. */
    erased: `/workforce/${stageName}/erased`,
    metrics: `Workforce/${stageName}`,
    /** `iss` of the access tokens it signs (D4). */
    tokenIssuer: `workforce-${stageName}`,
  };
}

/** The name of a stage's table. A restored one has its own, which begins with the first one's. */
export function tableNameOf({ name, tableName }: { readonly name: string; readonly tableName?: string }): string {
  return tableName ?? `workforce-${name}-records`;
}

/** The settings of the table that a restored one lacks, beside recovery to any second and protection. */
export const tableSettings = { timeToLive: "expires_at", stream: "NEW_AND_OLD_IMAGES" } as const;

/** The construct's id of a stage's table: another table is another resource to CloudFormation, which keeps the one before. */
export function tableIdOf(stage: { readonly name: string; readonly tableName?: string }): string {
  return `Records${tableNameOf(stage).slice(tableNameOf({ name: stage.name }).length)}`;
}

/**
 * The name of a function in AWS. It is fixed too, so that alarms, schedules and the dashboard need no reference into
 * another stack. Lambda allows 64 characters.
 */
export function functionNameOf(stageName: string, name: string): string {
  return `workforce-${stageName}-${name}`;
}

/** The log group of SMS that did not arrive. SNS writes one for each account and region. */
export function smsFailureLog({ account, region }: { readonly account: string; readonly region: string }): string {
  return `sns/${region}/${account}/DirectPublishToPhoneNumber/Failure`;
}

/**
 * The ends of the names of alarms that are fired for test: one that pages, and one that waits. CloudWatch judges them
 * again within minutes.
 */
export const testedAlarms = ["api-5xx", "api-4xx"];

/** The alarm of the check from outside, in us-east-1; it is fired for test as well. */
export const outsideAlarm = "no-answer";
