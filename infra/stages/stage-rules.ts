import * as v from "valibot";
import { hasOutboundEvents } from "../functions/queues.ts";
import { namesOf } from "./names.ts";
import { type Stage, stageSchema } from "./stage.ts";
import { stageShape } from "./stage-shape.ts";
import { deployedStages, StageRefusal, stagesFile } from "./stages.ts";

type Setting = keyof Stage;

const settings = Object.keys(stageShape.entries) as Setting[];

/** Region and account of credentials; undefined if not known yet. */
export interface DeployEnvironment {
  readonly region?: string | undefined;
  readonly account?: string | undefined;
}

/** Refuses a stage with a wrong or missing setting before a deploy that would fail later. */
export function requireDeployable(stage: Stage, credentials: DeployEnvironment): void {
  if (stage.name === "local") throw new StageRefusal(["The stage local is this machine's: it is not deployed."]);
  const faults = [
    ...faultsOf(stage),
    ...placeFaults(stage, credentials),
    ...identityFaults(stage),
    ...busFaults(stage),
  ];
  if (faults.length > 0) throw new StageRefusal(faults);
}

/** Refuses a stage with a wrong or missing setting. Placeholders are allowed. */
export function requireComplete(stage: Stage): void {
  const wrong = [...wrongSettings(stage)].map((name) => wrongSetting(stage, name));
  if (wrong.length > 0) throw new StageRefusal(wrong);
}

/** Every fault of a stage's settings, in one sentence each, placeholders included. */
export function faultsOf(stage: Stage): readonly string[] {
  const wrong = wrongSettings(stage);
  const unknown = Object.keys(stage).filter((key) => !settings.some((each) => each === key));
  return [
    ...settings.flatMap((each) => (wrong.has(each) ? [wrongSetting(stage, each)] : placeholderFaults(stage, each))),
    ...unknown.map((key) => `Remove ${key} from the stage ${stage.name} in ${stagesFile()}: no setting has that name.`),
  ];
}

function wrongSettings(stage: Stage): ReadonlySet<Setting> {
  const { issues = [] } = v.safeParse(stageSchema, stage);
  return new Set(issues.flatMap(({ path }) => (path ? [path[0].key as Setting] : [])));
}

function wrongSetting(stage: Stage, name: Setting): string {
  const value = stage[name];
  return wordFault(stage, name, value === undefined ? "it is missing" : `it is ${JSON.stringify(value)}`);
}

function placeholderFaults(stage: Stage, name: Setting): string[] {
  if (stage.removal !== "keep") return [];
  const placeholders = hostsOf(stage, name).filter(isReserved);
  return placeholders.length > 0 ? [wordFault(stage, name, `it has the placeholder ${placeholders.join(", ")}`)] : [];
}

function wordFault(stage: Stage, name: Setting, found: string): string {
  const entry = stageShape.entries[name];
  const wanted = v.getDescription("wrapped" in entry ? entry.wrapped : entry);
  return `Set ${name} of the stage ${stage.name} in ${stagesFile()} to ${wanted}: ${found}.`;
}

function placeFaults({ name, region, account }: Stage, credentials: DeployEnvironment): string[] {
  const where = `where the stage ${name} lives by ${stagesFile()}`;
  return [
    ...(isOther(region, credentials.region)
      ? [`Set AWS_REGION to ${region}, ${where}: it is ${credentials.region}.`]
      : []),
    ...(isOther(account, credentials.account)
      ? [`Use credentials (AWS_PROFILE) of the account ${account}, ${where}: yours are of ${credentials.account}.`]
      : []),
  ];
}

/**
 * An account has an identity of SES once in a region. A second stack that creates it fails, and deleting either stack
 * deletes it for both.
 */
function identityFaults(stage: Stage): string[] {
  const identity = ownIdentityOf(stage);
  const owners = stagesBeside(stage).filter((other) => ownIdentityOf(other) === identity);
  if (identity === undefined || owners.length === 0) return [];
  const names = owners.map(({ name }) => name).join(", ");
  const advice = `to "existing" in all but one of them, or name the account of each`;
  return [
    `Set senderIdentity of the stage ${stage.name} in ${stagesFile()} ${advice}: ${names} has SES verify ${identity}, too.`,
  ];
}

/**
 * A stage's outbound bus and another stage's inbound bus have the same name if the other stage's name is this one's
 * with -outbound.
 */
function busFaults(stage: Stage): string[] {
  return stagesBeside(stage).flatMap((other) => {
    const [sender, taker] = stage.name.length < other.name.length ? [stage, other] : [other, stage];
    const { outboundBus } = namesOf(sender.name);
    if (!hasOutboundEvents(sender) || outboundBus !== namesOf(taker.name).eventBus) return [];
    const advice = `to "off", rename the newer of it and ${taker.name}, or name the account of each`;
    return [
      `Set outboundEvents of the stage ${sender.name} in ${stagesFile()} ${advice}: the bus ${outboundBus} would be of both.`,
    ];
  });
}

/** Whether two values are known and different. */
function isOther(own: string | undefined, its: string | undefined): boolean {
  return own !== undefined && its !== undefined && own !== its;
}

/** The other stages that may be in the same account and region. */
function stagesBeside({ name, account, region }: Stage): Stage[] {
  return deployedStages().filter(
    (each) => each.name !== name && !isOther(account, each.account) && !isOther(region, each.region),
  );
}

/** The identity that SES verifies for a stage. */
function ownIdentityOf({ senderAddress, senderIdentity }: Stage): string | undefined {
  if (senderIdentity === "existing") return undefined;
  return senderIdentity === "domain" ? hostOf(senderAddress) : senderAddress;
}

/** The hosts in a setting. */
function hostsOf(stage: Stage, name: Setting): string[] {
  const { senderAddress, alarmAddress, origins, oidcIssuer, customDomain, runbookUrl, pagerUrl, probedHost } = stage;
  const { webhooks = [] } = stage;
  const hosts: { readonly [Name in Setting]?: readonly (string | undefined)[] } = {
    senderAddress: [senderAddress],
    alarmAddress: [alarmAddress],
    origins,
    oidcIssuer: [oidcIssuer?.issuer, oidcIssuer?.jwksUrl],
    customDomain: [customDomain?.name],
    runbookUrl: [runbookUrl],
    pagerUrl: [pagerUrl],
    probedHost: [probedHost],
    webhooks: webhooks.map(({ url }) => url),
  };
  return (hosts[name] ?? []).flatMap((place) => (place === undefined ? [] : [hostOf(place)]));
}

/** The host in a web or e-mail address. */
function hostOf(place: string): string {
  return URL.parse(place)?.hostname ?? place.slice(place.lastIndexOf("@") + 1);
}

/** Names that nobody can own (RFC 2606, RFC 6761): placeholders to replace. */
export function isReserved(host: string): boolean {
  return /(?:^|\.)(?:example|test|invalid|localhost|example\.(?:com|org|net))$/i.test(host);
}
