import { adjustJobTimers, getJob, job, listJobs, timedJob } from "../../../shared/contract/jobs.ts";
import { jobFields } from "./fields.ts";
import { describes, shapes } from "./text.ts";

const { timer_expires_at, ...published } = jobFields;

const jobTexts = {
  ...published,
  industries: ["Industries of the job, up to 50.", ["Logistics", "Warehousing"]],
  postcode: ["Postcode of the place of work.", "HU1 3DZ"],
} as const;

export const jobText = shapes(job, "A job that a company offers.", jobTexts);

export const timedJobText = shapes(timedJob, "A job with its timer.", {
  ...jobTexts,
  timer_expires_at,
});

export const adjustJobTimersText = describes(adjustJobTimers, {
  description: `Sets, prolongs or clears the timers of jobs: the time until which they can be taken, from this request on. Up to 90 jobs change in
one transaction: all of them, or none if an id is unknown. \`GET /api/v1/jobs/{id}\` shows when a timer expires.`,
  body: {
    text: "The jobs, and how long they stay open.",
    fields: {
      job_ids: ["Ids of 1 to 90 jobs, of any company. The answer keeps this order.", [2, 1]],
      timer: ["Seconds from now until the timer expires, up to a year (31,536,000). 0 clears the timer.", 3600],
    },
  },
  answer: { text: "All jobs have the new timer.", fields: { jobs: ["The jobs that were named, in that order."] } },
});

export const listJobsText = describes(listJobs, {
  description: `All jobs of the caller's company, or of every company for admins; page through with the \`Link\` header. The ids
are what \`adjust_timer\` takes.`,
  query: {},
  answer: { text: "A page of jobs.", fields: { jobs: ["Jobs, highest id first; empty past the last page."] } },
});

export const getJobText = describes(getJob, {
  description: `One job, as it is stored now. Use it to open the job that a \`Job\` notification is about.`,
  parameters: { id: ["Id of the job. One that does not exist or belongs to another company is 404.", 1] },
  answer: { text: "The job.", fields: { job: ["The job, with its timer."] } },
});
