import type { CountryCode } from "libphonenumber-js/core";
import * as v from "valibot";
import { parseLogin } from "../../shared/domain/accounts/login.ts";
import { maySendSmsTo } from "../../shared/domain/accounts/sms-receiver.ts";
import { fewestWorkerCalls, hasOutboundEvents } from "../functions/queues.ts";
import { throttle, type webhook } from "./setting-values.ts";
import { stageShape } from "./stage-shape.ts";

/** The settings, and the rules between them. */
export const stageSchema = v.pipe(
  stageShape,
  v.forward(
    v.partialCheck([["throttle"], ["anonymousThrottle"]], ({ throttle: all, anonymousThrottle: own }) => {
      return !v.is(throttle, all) || (own.requestsPerSecond <= all.requestsPerSecond && own.burst <= all.burst);
    }),
    ["anonymousThrottle"],
  ),
  v.forward(
    v.partialCheck([["region"], ["customDomain"]], ({ region, customDomain }) => {
      return customDomain === undefined || isIn(region, customDomain.certificateArn);
    }),
    ["customDomain"],
  ),
  v.forward(
    v.partialCheck([["edge"], ["customDomain"]], ({ edge, customDomain }) => {
      return edge === undefined || customDomain !== undefined;
    }),
    ["edge"],
  ),
  v.forward(
    v.partialCheck([["region"], ["platformApplications"]], ({ region, platformApplications = {} }) => {
      return Object.values(platformApplications).every((arn) => isIn(region, arn));
    }),
    ["platformApplications"],
  ),
  v.forward(
    v.partialCheck([["removal"], ["alarmAddress"]], ({ removal, alarmAddress }) => {
      return removal !== "keep" || alarmAddress !== undefined;
    }),
    ["alarmAddress"],
  ),
  v.forward(
    v.partialCheck([["removal"], ["backupKeptDays"]], ({ removal, backupKeptDays }) => {
      return removal === "keep" || backupKeptDays === undefined;
    }),
    ["backupKeptDays"],
  ),
  v.forward(
    v.partialCheck(
      [["defaultCountry"], ["servedCountries"], ["testLogins"]],
      ({ defaultCountry, servedCountries, testLogins }) => {
        return !testLogins || testLogins.logins.every((each) => takesPins(each, defaultCountry, servedCountries));
      },
    ),
    ["testLogins"],
  ),
  v.forward(
    v.partialCheck([["webhooks"], ["outboundEvents"]], ({ webhooks, outboundEvents }) => {
      return webhooks === undefined || hasOutboundEvents({ outboundEvents });
    }),
    ["webhooks"],
  ),
  v.forward(
    v.partialCheck([["reservedConcurrency"], ["webhooks"]], ({ reservedConcurrency = {}, webhooks = [] }) => {
      const { "deliver-webhook": reserved } = reservedConcurrency;
      return reserved === undefined || reserved >= fewestWorkerCalls * webhooks.length;
    }),
    ["reservedConcurrency"],
  ),
  v.forward(
    v.partialCheck([["probedHost"], ["alarmAddress"]], ({ probedHost, alarmAddress }) => {
      return probedHost === undefined || alarmAddress !== undefined;
    }),
    ["probedHost"],
  ),
);

/** Average requests per second, and the most in a burst; further ones are refused with 429. */
export type Throttle = v.InferOutput<typeof throttle>;

/** A receiver of some kinds of a stage's events. */
export type Webhook = v.InferOutput<typeof webhook>;

/** One stage: the settings of one deployment. */
export type Stage = v.InferOutput<typeof stageSchema>;

/** Whether a stage answers the documentation page. */
export function hasDocs({ docs, removal }: Pick<Stage, "docs" | "removal">): boolean {
  return docs ?? removal === "delete";
}

/** Whether a login is in its normal form and can get a pin. SMS go only to numbers of a served country that can receive them. */
function takesPins(typed: string, defaultCountry: CountryCode, servedCountries: readonly string[]): boolean {
  const login = parseLogin(typed, defaultCountry);
  if (login?.value !== typed) return false;
  if (login.channel === "email") return true;
  return servedCountries.includes(login.country ?? "") && maySendSmsTo(typed, { isStored: true });
}

/** Whether a resource is in the stage's region; a stage without a region may be anywhere. */
function isIn(region: string | undefined, arn: string): boolean {
  return region === undefined || arn.split(":")[3] === region;
}
