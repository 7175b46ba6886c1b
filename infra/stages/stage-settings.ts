import type { StageWebhooks } from "../../shared/settings.ts";
import type { StageSetting } from "../functions/function-row.ts";
import { namesOf } from "./names.ts";
import type { Stage } from "./stages.ts";

const stageSettings: Readonly<Record<StageSetting, (stage: Stage) => string>> = {
  SERVICE_NAME: ({ serviceName }: Stage) => serviceName,
  LOCALE: ({ locale = "en" }: Stage) => locale,
  DEFAULT_COUNTRY: ({ defaultCountry }: Stage) => defaultCountry,
  SERVED_COUNTRIES: ({ servedCountries }: Stage) => servedCountries.join(","),
  RECOVERY_DISCLOSURE: ({ recoveryDisclosure }: Stage) => recoveryDisclosure,
  REGISTRATION: ({ registration }: Stage) => registration,
  UNKNOWN_PARAMETERS: ({ unknownParameters = "refuse" }: Stage) => unknownParameters,
  SMS_SENDER_ID: ({ smsSenderId = "" }: Stage) => smsSenderId,
  SMS_MOST_DOLLARS: ({ smsMostDollars }: Stage) => smsMostDollars.toFixed(2),
  SMS_PER_DAY: ({ smsCeilings }: Stage) => String(smsCeilings.perDay),
  MAIL_PER_DAY: ({ mailCeilings }: Stage) => String(mailCeilings.perDay),
  BUSINESS_TIME_ZONE: ({ businessTimeZone }: Stage) => businessTimeZone,
  HISTORY_DAYS: ({ historyDays = 400 }: Stage) => String(historyDays),
  PLATFORM_APPLICATIONS: ({ platformApplications = {} }: Stage) => JSON.stringify(platformApplications),
  WEBHOOKS: (stage: Stage) => JSON.stringify(webhooksOf(stage)),
};

/** The value of a setting in a stage, as functions get it in their environment. */
export function readStageSetting(stage: Stage, setting: StageSetting): string {
  return stageSettings[setting](stage);
}

/**
 * The part of the webhooks' settings that functions need. It is small because a function's environment is limited to 4
 * KB.
 */
function webhooksOf({ name, webhooks = [] }: Stage): StageWebhooks {
  const receivers = webhooks.map((each) => ({ name: each.name, url: each.url }));
  return { queues: namesOf(name).webhookQueue(""), receivers };
}

/** All settings of a stage by name, for tools, which belong to no single function. */
export function readStageSettings(stage: Stage): Record<StageSetting, string> {
  const settings = Object.entries(stageSettings).map(([name, read]) => [name, read(stage)]);
  return Object.fromEntries(settings) as Record<StageSetting, string>;
}
