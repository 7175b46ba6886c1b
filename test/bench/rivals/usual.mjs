// The usual stack: middy, lib-dynamodb, zod, Powertools.
import { Logger } from "@aws-lambda-powertools/logger";
import { injectLambdaContext } from "@aws-lambda-powertools/logger/middleware";
import { Metrics } from "@aws-lambda-powertools/metrics";
import { logMetrics } from "@aws-lambda-powertools/metrics/middleware";
import middy from "@middy/core";
import headerNormalizer from "@middy/http-header-normalizer";
import { z } from "zod";
import { listInvoices } from "./job.mjs";

const logger = new Logger({ serviceName: "invoices" });
const metrics = new Metrics({ namespace: "workforce", serviceName: "invoices" });

const query = z.object({
  by_state: z.enum(["pending", "paid", "overdue"]),
  from_date: z.iso.date().optional(),
  to_date: z.iso.date().optional(),
  by_company: z.coerce.number().int().positive().optional(),
  by_number: z.string().max(64).optional(),
  page: z.coerce.number().int().positive().default(1),
  per_page: z.coerce.number().int().positive().max(100).default(20),
});

export const handler = middy()
  .use([injectLambdaContext(logger), logMetrics(metrics), headerNormalizer()])
  .handler(async ({ headers, queryStringParameters }) => {
    const { by_state } = query.parse(queryStringParameters);
    logger.info("request");
    const { status, ...answer } = await listInvoices(headers.authorization, by_state);
    logger.info("answer", { status });
    return { statusCode: status, ...answer };
  });
