import { adjustJobTimers, getJob, job, listJobs, timedJob } from "../jobs.ts";
import { describes, shapes } from "./text.ts";

const jobTexts = {
  id: ["The job's key; what `job_ids` of `adjust_timer` means.", 7],
  industries: ["Branches that the work belongs to, up to 50.", ["Logistics", "Warehousing"]],
  job_type: ["Kind of contract, such as `part_time` or `temporary_contract`; more kinds may appear.", "part_time"],
  number: ["Running number that people quote on the phone.", 1007],
  postcode: ["The place of the work.", "HU1 3DZ"],
  published_at: [
    "Since when drivers can see the offer. A time to come delays neither the list nor the notification.",
    "2026-05-01T08:30:00.000Z",
  ],
  title: ["Headline of the offer.", "Night shift loader"],
} as const;

export const jobText = shapes(job, "An offer of work by a company.", jobTexts);

export const timedJobText = shapes(timedJob, "A job together with the end of its offer.", {
  ...jobTexts,
  timer_expires_at: [
    "When its window closes, as `adjust_timer` set it; null without a limit. Nothing is done then: the time stays, and apps stop offering the job.",
    "2026-05-04T17:00:07.000Z",
  ],
});

export const adjustJobTimersText = describes(adjustJobTimers, {
  description: `Opens, prolongs or closes the window in which jobs can be taken. The time runs from this request. Up to 90 jobs change in
one transaction: all of them, or none if an id is unknown. \`GET /api/v1/jobs/{id}\` shows when a window closes.`,
  body: {
    text: "The jobs, and how long they stay open.",
    fields: {
      job_ids: ["Ids of 1 to 90 jobs, of whatever companies. The answer follows their order.", [2, 1]],
      timer: ["Seconds from now until the window closes, up to a year (31,536,000). 0 removes the limit.", 3600],
    },
  },
  answer: { text: "Every job has the new timer.", fields: { jobs: ["The jobs that were set."] } },
});

export const listJobsText = describes(listJobs, {
  description: `All offers of the caller's company, or of every company for admins; page through with the \`Link\` header. The ids
are what \`adjust_timer\` takes.`,
  query: {},
  answer: { text: "A page of jobs.", fields: { jobs: ["Offers from the latest id down."] } },
});

export const getJobText = describes(getJob, {
  description: `One offer, current to this moment. Use it to open what a \`Job\` notification is about without searching the list.`,
  parameters: { id: ["The job's id. Jobs of other companies count as absent (404).", 1] },
  answer: { text: "The job.", fields: { job: ["Title, place and kind of the work, and until when it is offered."] } },
});
