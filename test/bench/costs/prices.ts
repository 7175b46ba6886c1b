/**
 * AWS list prices of us-east-1 in US dollars without free tiers and discounts, as on the pricing pages in November 2026. Those of
 * London are up to a fifth higher.
 */
export const prices = {
  /** API Gateway, HTTP API. */
  gatewayPerMillion: 1.0,
  lambdaPerMillion: 0.2,
  /** Lambda on arm64. */
  lambdaPerGigabyteSecond: 0.0000133334,
  /** DynamoDB on demand: request units. */
  readUnitsPerMillion: 0.125,
  writeUnitsPerMillion: 0.625,
  storagePerGigabyteMonth: 0.25,
  /** AWS Backup, of a whole copy. */
  backupPerGigabyteMonth: 0.1,
  recoveryPerGigabyteMonth: 0.2,
  queueRequestsPerMillion: 0.4,
  eventsPerMillion: 1.0,
  /** To the internet. */
  dataOutPerGigabyte: 0.09,
  secretReadsPerMillion: 5.0,
  emailsPerThousand: 0.1,
  /** To the United Kingdom; it differs by country and provider and changes often: look it up before you rely on it. */
  sms: 0.04,
  logsPerGigabyte: 0.5,
  secretPerMonth: 0.4,
  /** Of each metric that an alarm reads. */
  alarmMetricPerMonth: 0.1,
  metricPerMonth: 0.3,
  compositeAlarmPerMonth: 0.5,
  dashboardPerMonth: 3.0,
  keyPerMonth: 1.0,
  /** Route 53, of an endpoint in AWS; over TLS. */
  healthCheckPerMonth: 0.5,
  healthCheckOverTlsPerMonth: 1.0,
} as const;
