/** A file of the documentation page. */
export interface PageFile {
  /** Its path. A file that never changes has its hash there. */
  readonly path: string;
  readonly type: string;
  /** Its content, compressed with gzip at build time, in base64. */
  readonly gzip: string;
}

/** The path of the page with the guides; its files are below. */
export const pagePath = "/docs";

/** The path of the page with the operations. */
export const referencePath = `${pagePath}/reference`;

/** The path of the guides' journeys, an Arazzo document. */
export const journeysPath = "/arazzo.json";

/** The path of the overview for language models. */
export const overviewPath = "/llms.txt";

/** The files as JSON text, so that the modules which make them stay outside the bundle. */
declare const DOCS_FILES: string;

let files: ReadonlyMap<string, PageFile> | undefined;

/** The file at a path; undefined if there is none. */
export function findPageFile(path: string): PageFile | undefined {
  files ??= new Map((JSON.parse(DOCS_FILES) as PageFile[]).map((file) => [file.path, file]));
  return files.get(path);
}
