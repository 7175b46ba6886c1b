import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked } from "marked";
import { root } from "../support/root.ts";
import { type Journey, journeyLanguage, readJourney } from "./journeys.ts";

/** A guide of the documentation page. */
export interface Guide {
  /** The name of its file without its number, which is also its place in the page. */
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
}

const { compare: byNumber } = new Intl.Collator("en", { numeric: true });

/** The files of the guides from the folder of the checkout, in reading order. */
export function guideSources(): string[] {
  return globSync("infra/document/guides/*.md", { cwd: root }).toSorted(byNumber);
}

/** The guides, in reading order. */
export function readGuides(): Guide[] {
  return guideSources().map((file) => {
    const markdown = readFileSync(join(root, file), "utf8").replaceAll(/<!--.*?-->\n*/g, "");
    const [, title] = /^# (.*)$/m.exec(markdown) ?? [];
    if (title === undefined) throw new Error(`${file} has no title`);
    return { id: basename(file, ".md").replace(/^\d+-/, ""), title, markdown };
  });
}

export function journeysOf(guides: readonly Guide[]): Journey[] {
  const block = new RegExp(`^\`\`\`${journeyLanguage}\n(.*?)^\`\`\`$`, "gms");
  return guides.flatMap(({ markdown }) => [...markdown.matchAll(block)].map(([, text = ""]) => readJourney(text)));
}

export function contentsOf(guides: readonly Guide[]): string {
  const links = guides.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<ol>\n${links.join("\n")}\n</ol>`;
}

/** The guides as sections of HTML. `local` follows the first of them. */
export function sectionsOf(guides: readonly Guide[], local: string): string {
  const sections = guides.map((guide) => `<section aria-labelledby="${guide.id}">\n${htmlOf(guide)}</section>`);
  return [...sections.slice(0, 1), local, ...sections.slice(1)].join("\n");
}

/** A title becomes a heading of the second level, below that of the page, and a heading has the guide in its id. */
function htmlOf({ id, markdown }: Guide): string {
  const marked = new Marked({
    async: false,
    renderer: {
      heading({ tokens, depth, text }) {
        const place = depth === 1 ? id : `${id}-${slugOf(text)}`;
        return `<h${depth + 1} id="${place}">${this.parser.parseInline(tokens)}</h${depth + 1}>\n`;
      },
      code({ text, lang = "" }) {
        if (lang === journeyLanguage) return journeyHtml(readJourney(text));
        return `<pre data-language="${lang}" tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
    },
  });
  return String(marked.parse(markdown));
}

function journeyHtml({ workflowId, steps }: Journey): string {
  const items = steps.map(
    ({ operationId, description }) =>
      `<li><a href="/docs/reference"><code>${operationId}</code></a>: ${escapeHtml(description)}</li>`,
  );
  const file = `<a href="/arazzo.json"><code>${workflowId}</code></a>`;
  return `<details><summary>The steps, for programs</summary>\n<p>The workflow ${file}:</p>\n<ol>${items.join("\n")}</ol></details>\n`;
}

function slugOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
