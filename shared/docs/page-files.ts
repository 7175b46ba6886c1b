/** A file of the documentation page. */
export interface PageFile {
  /** Where it is answered. What never changes there has its hash in its path. */
  readonly path: string;
  readonly type: string;
  /** First 12 hexadecimal digits of its SHA-256. */
  readonly hash: string;
  /** Its content in base64, compressed with gzip when the function was built. */
  readonly gzip: string;
}

/** The page itself; everything else of it is at a path below. */
export const pagePath = "/docs";

/** The files as JSON: builds have them as text, and what makes them stays outside. */
declare const DOCS_FILES: string;

let files: ReadonlyMap<string, PageFile> | undefined;

/** The file of the page at a path; undefined where there is none. */
export function findPageFile(path: string): PageFile | undefined {
  files ??= new Map((JSON.parse(DOCS_FILES) as PageFile[]).map((file) => [file.path, file]));
  return files.get(path);
}
