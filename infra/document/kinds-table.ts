import { notifyingRecordTypes, type Recipients } from "../../shared/notifications/kinds.ts";

/** Sample facts: a rule gives the same words for all records. */
const anyFacts = { company: 1, profile: 1, user: 1 };

/** The kinds of notifications as a table in Markdown: who is notified, and by which channels besides the list (D25, D29). */
export function kindsTable(): string {
  const rows = Object.entries(notifyingRecordTypes).flatMap(([recordType, { kinds }]) =>
    Object.entries(kinds).map(([type, kind]) => {
      const push = "isInAppOnly" in kind ? "no" : "yes";
      const mail = "sendsNotice" in kind ? "yes" : "no";
      return [`\`${recordType}\``, `\`${type}\``, inWords(kind.recipients(anyFacts)), push, mail];
    }),
  );
  const head = ["record_type", "type", "who is notified", "push", "mail and SMS"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function inWords(rules: readonly Recipients[]): string {
  const [rule] = rules;
  if (rule === undefined) return "the users that the event names";
  if ("profile" in rule) return "its driver";
  if ("users" in rule) return "the user";
  const roles = rules.flatMap((each) => ("role" in each ? [`${each.role}s`] : [])).join(" and ");
  return `${roles} of its company${rule.most === undefined ? "" : `, the first ${rule.most} by id`}`;
}
