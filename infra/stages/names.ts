/** The audience of every stage's access tokens (D4). */
export const tokenAudience = "workforce-api";

/** The alias that callers call in a canary stage; CodeDeploy and `npm run rollback` move it. */
export const liveAlias = "live";

/**
 * The names in AWS of what a stage must never lose, and of what tools find a deployed stage by. Fixed: CloudFormation cannot
 * replace a resource whose name is taken, so a change that would lose it fails instead.
 */
export function namesOf(stageName: string) {
  return {
    stack: `Workforce-${stageName}`,
    /** The stack and the firewall before the stage's edge, in us-east-1. */
    firewall: `Workforce-${stageName}-firewall`,
    /** The stack with the check of the stage from outside, in us-east-1. */
    probe: `Workforce-${stageName}-probe`,
    table: `workforce-${stageName}-records`,
    hmacSecret: `workforce/${stageName}/hmac-key`,
    signingSecret: `workforce/${stageName}/signing-keys`,
    edgeSecret: `workforce/${stageName}/edge-secret`,
    sandboxSecret: `workforce/${stageName}/sandbox-pin`,
    eventBus: `workforce-${stageName}`,
    /** The bus on which events of the service go out (D42). */
    outboundBus: `workforce-${stageName}-outbound`,
    /** `source` of these events. */
    eventSource: `urn:workforce:${stageName}`,
    /** The queue of a webhook's events; an underscore is in no name of a stage or webhook. */
    webhookQueue: (webhook: string) => `workforce-${stageName}_webhook_${webhook}`,
    webhookSecret: `workforce/${stageName}/webhook-keys`,
    /** Where backups of the table are kept. */
    backupVault: `workforce-${stageName}`,
    /** The role that a restore of a backup names. */
    restoreRole: `workforce-${stageName}-restore`,
    /** The role of whoever answers alarms. */
    onCallRole: `workforce-${stageName}-on-call`,
    /** The HTTP API, among those of the account. */
    api: `workforce-${stageName}`,
    /** What e-mails are sent by, in SES. */
    configurationSet: `workforce-${stageName}`,
    /** Log group of the requests to the API. The prefix keeps it out of a policy of the account that can grow full. */
    accessLogs: `/aws/vendedlogs/workforce-${stageName}/access`,
    /** Parameter of SSM that says which commit the functions are of, with its history. */
    release: `/workforce/${stageName}/release`,
    /** Path of the parameters of SSM that say who was forgotten, one a person; no stack has them. */
    erased: `/workforce/${stageName}/erased`,
    /** Namespace of the service's own metrics. */
    metrics: `Workforce/${stageName}`,
    /** `iss` of the access tokens it signs (D4). */
    tokenIssuer: `workforce-${stageName}`,
  };
}

/**
 * The name of a function in AWS. Fixed as well, so that an alarm, a schedule or the dashboard needs no reference into another
 * stack. Lambda takes 64 characters.
 */
export function functionNameOf(stageName: string, name: string): string {
  return `workforce-${stageName}-${name}`;
}

/** The log group that SNS writes SMS to that did not arrive: one for an account and region. */
export function smsFailureLog({ account, region }: { readonly account: string; readonly region: string }): string {
  return `sns/${region}/${account}/DirectPublishToPhoneNumber/Failure`;
}
