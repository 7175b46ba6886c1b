import { beginExport, continueExport } from "../../shared/accounts/own-export.ts";
import { exportOwnData } from "../../shared/contract/accounts.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Exports what is held about the caller, page by page (D44). */
export const handler = authenticated(exportOwnData, ({ caller, query, now }) =>
  query.cursor === undefined ? beginExport(caller, now) : continueExport(caller, query.cursor, now),
);
