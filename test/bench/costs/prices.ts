import { UsageError } from "../../../infra/tools/cli/command.ts";

/** The regions whose prices are known. The first one is that of the page. */
export const pricedRegions = ["us-east-1", "eu-west-2"] as const;

/** A region whose prices are known. */
export type PricedRegion = (typeof pricedRegions)[number];

/**
 * AWS publishes what it bills at pricing.us-east-1.amazonaws.com/offers/v1.0/aws/SERVICE/current/REGION/index.json. The
 * prices of London are of these files, by service and day of publication.
 */
const list = (service: string, published: string) => `${service} ${published}`;
const cloudWatch = list("AmazonCloudWatch", "2026-09-22");

/** London's prices of logs are dearer by this factor, the highest of those that were found; it stands in for others. */
const londonFactor = 1.2;
const estimated = `no source: us-east-1 × ${londonFactor}`;

const same = (dollars: number, source: string) => ({ "us-east-1": dollars, "eu-west-2": dollars, source });
const unknown = (dollars: number) => ({ "us-east-1": dollars, "eu-west-2": dollars * londonFactor, source: estimated });

/**
 * AWS list prices in US dollars without free tiers and discounts: those of us-east-1 as on the pricing pages in November
 * 2026, those of eu-west-2 with their source.
 */
export const priceList = {
  /** API Gateway, HTTP API. */
  gatewayPerMillion: {
    "us-east-1": 1.0,
    "eu-west-2": 1.16,
    source: list("AmazonApiGateway", "2026, MFY3FVZZSQWYVNHM"),
  },
  lambdaPerMillion: same(0.2, list("AWSLambda", "2026-10-01")),
  /** Lambda on arm64. */
  lambdaPerGigabyteSecond: same(0.0000133334, list("AWSLambda", "2026-10-01")),
  /** DynamoDB on demand: request units. */
  readUnitsPerMillion: unknown(0.125),
  writeUnitsPerMillion: unknown(0.625),
  storagePerGigabyteMonth: unknown(0.25),
  /** AWS Backup, of a whole copy. */
  backupPerGigabyteMonth: unknown(0.1),
  recoveryPerGigabyteMonth: unknown(0.2),
  queueRequestsPerMillion: same(0.4, list("AWSQueueService", "2026-09-11")),
  eventsPerMillion: unknown(1.0),
  tracesPerMillion: unknown(5.0),
  /** To the internet. */
  dataOutPerGigabyte: same(0.09, list("AWSDataTransfer", "2026-09-16")),
  secretReadsPerMillion: same(5.0, list("AWSSecretsManager", "2026-09-11")),
  emailsPerThousand: same(0.1, list("AmazonSES", "2026-09-11")),
  /** To the United Kingdom; it differs by country and provider and changes often: look it up before you rely on it. */
  sms: { "us-east-1": 0.04, "eu-west-2": 0.04, source: "by country of the recipient, not by region" },
  logsPerGigabyte: { "us-east-1": 0.5, "eu-west-2": 0.5985, source: cloudWatch },
  secretPerMonth: same(0.4, list("AWSSecretsManager", "2026-09-11")),
  /** Of each metric that an alarm reads. */
  alarmMetricPerMonth: same(0.1, cloudWatch),
  metricPerMonth: same(0.3, cloudWatch),
  compositeAlarmPerMonth: unknown(0.5),
  dashboardPerMonth: { "us-east-1": 3.0, "eu-west-2": 3.0, source: "one price for all regions" },
  keyPerMonth: same(1.0, list("awskms", "2026-09-11")),
  /** Route 53, of an endpoint in AWS; over TLS. */
  healthCheckPerMonth: same(0.5, list("AmazonRoute53", "2026-09-11")),
  healthCheckOverTlsPerMonth: { "us-east-1": 1.0, "eu-west-2": 1.0, source: "one price for all regions" },
} as const satisfies Readonly<Record<string, Readonly<Record<PricedRegion, number>> & { readonly source: string }>>;

type PriceName = keyof typeof priceList;

/** The prices of one region, in US dollars. */
export type Prices = Readonly<Record<PriceName, number>>;

/** The prices of a region. */
export function pricesOf(region: PricedRegion): Prices {
  return Object.fromEntries(Object.entries(priceList).map(([name, each]) => [name, each[region]])) as Prices;
}

/** The region of that name. Throws `UsageError` if its prices are not known. */
export function requirePriced(region: string): PricedRegion {
  const found = pricedRegions.find((each) => each === region);
  if (found) return found;
  throw new UsageError(`--region takes ${pricedRegions.join(" or ")}, whose prices are known, not ${region}`);
}
