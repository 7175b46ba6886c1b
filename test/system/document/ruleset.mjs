import owasp from "@stoplight/spectral-owasp-ruleset";
import spectralRulesets from "@stoplight/spectral-rulesets";

/** Spectral's rules for OpenAPI, and all of OWASP's for the security of APIs, except those that the interface answers otherwise. */
export default {
  extends: [spectralRulesets.oas, [owasp, "all"]],
  rules: {
    // Ids are numbers in the interface that clients have; a record is shown to its user or company alone.
    "owasp:api1:2023-no-numeric-ids": "off",
    // Origins are a setting of the stage, and an answer has their headers only if the request has an `Origin`.
    "owasp:api8:2023-define-cors-origin": "off",
    // An operation without a token has no 401; a test of the document asks for one everywhere else.
    "owasp:api8:2023-define-error-responses-401": "off",
    // The rule looks for capitals, and every 429 of the document has `retry-after`.
    "owasp:api4:2023-rate-limit-retry-after": "off",
    // The gateway's throttle is one for the whole stage, and those who guess should not learn how many attempts are left.
    "owasp:api4:2023-rate-limit": "off",
  },
};
