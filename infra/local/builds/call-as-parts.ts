import type { LocalParts } from "../../functions/docs-page-build.ts";

/** The part of the documentation page that the local machine alone has: a choice of the user that it calls as. */
export const callAsParts: LocalParts = {
  head: '<script src="/_local/call-as.js" type="module"></script>',
  slot: '<div id="call-as"></div>',
};
