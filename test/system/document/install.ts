import { installLocked } from "../../gates/install.ts";

/** Installs the linters and generators into `.local/document`; gives its `node_modules`. */
export function installDocumentTools(): string {
  return installLocked("test/system/document", "document");
}
