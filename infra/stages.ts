/** The settings of one stage. Every one has a unit or a form, and the default stage shows a working value. */
export interface Stage {
  readonly name: string;
  /** Name of the service in messages to people; up to 60 characters. */
  readonly serviceName: string;
  /** Address that e-mails come from; a verified SES identity. */
  readonly senderAddress: string;
  /** ISO 3166 country that phone numbers without a country code are read with. */
  readonly defaultCountry: string;
  /** ISO 3166 countries that SMS are sent to. Each SMS costs: name only the countries you serve. */
  readonly servedCountries: readonly string[];
  /** `masked`: a password request shows nothing of the stored user. `full`: it shows the user, and 404 for unknown logins. */
  readonly recoveryDisclosure: "masked" | "full";
  /** Origins whose pages may call the API from a browser. */
  readonly origins: readonly string[];
  /** Requests a second that the whole API takes in the long run, and at once in a burst; more are refused with 429. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  /** Days that logs are kept. */
  readonly logRetentionDays: 1 | 7 | 14 | 30 | 90 | 180 | 365;
}

const dev: Stage = {
  name: "dev",
  serviceName: "Workforce",
  senderAddress: "no-reply@workforce.example",
  defaultCountry: "GB",
  servedCountries: ["GB", "GG", "IM", "JE", "IE"],
  recoveryDisclosure: "masked",
  origins: ["http://localhost:5173"],
  throttle: { requestsPerSecond: 100, burst: 200 },
  logRetentionDays: 14,
};

/** Every stage that can be deployed, by name. */
const stages: Readonly<Record<string, Stage>> = { dev };

/** The stage of that name, or an error that lists the stages there are. */
export function findStage(name: string): Stage {
  const stage = Object.hasOwn(stages, name) ? stages[name] : undefined;
  if (!stage) throw new Error(`There is no stage "${name}"; the stages are ${Object.keys(stages).join(", ")}.`);
  return stage;
}
