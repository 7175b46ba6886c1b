import * as v from "valibot";
import { operation } from "./operation.ts";
import { oneRecord, paging } from "./query.ts";
import { bulkIds, id, oneLine, timestamp } from "./values.ts";

/** A job as the interface shows it. */
export const job = v.object({
  id,
  industries: v.pipe(v.array(oneLine(100)), v.maxLength(50)),
  job_type: oneLine(100),
  number: v.pipe(v.number(), v.safeInteger()),
  postcode: oneLine(20),
  published_at: timestamp,
  title: oneLine(200),
});

/** A job with the moment at which its offer window closes; null without a timer (D24). */
export const timedJob = v.object({ ...job.entries, timer_expires_at: v.nullable(timestamp) });

/** One year in seconds: the longest timer (D24). */
const maxTimerSeconds = 31_536_000;

/** PUT jobs/adjust_timer: seconds until the offer window closes, 0 clears (D24). */
export const adjustJobTimers = operation({
  name: "adjust-job-timers",
  summary: "Sets the timer of several jobs at once",
  method: "PUT",
  path: "/api/v1/jobs/adjust_timer",
  access: ["admin"],
  needsSession: true,
  keys: "act",
  companyBound: true,
  idempotent: true,
  body: {
    object: "job",
    fields: v.object({
      job_ids: bulkIds,
      timer: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxTimerSeconds)),
    }),
  },
  answer: job,
  list: "jobs",
  refusals: ["records_not_found"],
});

/** GET jobs, whose ids adjust_timer takes (D37). */
export const listJobs = operation({
  name: "list-jobs",
  summary: "Lists jobs, newest id first",
  method: "GET",
  path: "/api/v1/jobs",
  access: ["admin", "operator"],
  keys: "read",
  companyBound: true,
  query: v.object(paging),
  answer: job,
  list: "jobs",
});

/** GET jobs/{id}: a job as in the list, with its timer (D24, D39). */
export const getJob = operation({
  name: "get-job",
  summary: "Shows a job",
  path: "/api/v1/jobs/{id}",
  access: ["admin", "operator"],
  answer: v.object({ job: timedJob }),
  ...oneRecord,
});
