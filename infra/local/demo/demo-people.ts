import type { Role } from "../../../shared/contract/operation.ts";
import { chanceOf } from "./demo-chance.ts";

export interface DemoCompany {
  readonly id: number;
  readonly name: string;
  /** Domain of the company's e-mail addresses. It is reserved, so that nothing sent there reaches anyone. */
  readonly domain: string;
}

export type DemoUser = ReturnType<typeof person>;

/** Password of every user in `demoUsers`. */
export const demoPassword = "workforce demo";

/** Passcode of the operator who has one. */
export const demoPasscode = "4821";

export const demoCompanies: readonly [DemoCompany, ...DemoCompany[]] = [
  { id: 1, name: "Harbour Logistics Ltd", domain: "harbour-logistics.example" },
  { id: 2, name: "Northgate Distribution", domain: "northgate.example" },
  { id: 3, name: "Peak Haulage & Storage", domain: "peak-haulage.example" },
  { id: 4, name: "Fenland Fresh Produce", domain: "fenland-fresh.example" },
];

const firstNames =
  "Amara,Ben,Chloe,Dylan,Ewa,Farah,Gareth,Hana,Imran,Jess,Kofi,Lena,Marek,Nadia,Oisín,Priya,Ravi,Siân,Tom,Zoë";
const lastNames =
  "Adeyemi,Brannigan,Clarke,Dobson,Evans,Fielding,Grant,Hussain,Iqbal,Jones,Kowalska,Lloyd,Murray,Nowak,O'Brien,Patel,Quinn,Reid,Shaw,Taylor";

const named = [
  person(1, "admin", null, "Ruth", "Ashdown", { email: "admin@workforce.example", password: demoPassword }),
  person(2, "operator", 1, "Owen", "Pryce", { email: "operator@harbour-logistics.example", password: demoPassword }),
  person(3, "operator", 2, "Leila", "Haddad", { email: "operator@northgate.example", password: demoPassword }),
  person(4, "client", 1, "Martin", "Sorley", { email: "client@harbour-logistics.example", password: demoPassword }),
  person(5, "driver", 1, "Dana", "Whitfield", {
    email: "driver@workforce.example",
    phone_number: "+447700900005",
    profile_id: 5005,
    password: demoPassword,
  }),
];

const operatorWithPasscode = 11;

/** The 40 users of the demo data: the named ones first, then operators, clients and drivers of every company. */
export const demoPeople: readonly DemoUser[] = [...named, ...others()];

export const demoDrivers = demoPeople.filter(({ role }) => role === "driver");

function others(): DemoUser[] {
  const chance = chanceOf(40);
  const roles = ["operator", "client", "driver", "driver", "driver"] as const;
  return Array.from({ length: 35 }, (_, at) => {
    const id = named.length + 1 + at;
    if (at === 0) return person(id, "admin", null, "Colm", "Devlin", { email: "colm.devlin@workforce.example" });
    const role = roles[at % roles.length] ?? "driver";
    const company = demoCompanies[(at + Math.floor(at / 5)) % demoCompanies.length] ?? demoCompanies[0];
    const first = firstNames.split(",")[(at * 7) % 20] ?? "";
    const last = lastNames.split(",")[(at * 11 + Math.floor(at / 20)) % 20] ?? "";
    // Ofcom keeps 07700 900xxx free for fiction.
    const phone = `+447700900${100 + id}`;
    const email = `${asciiName(first)}.${asciiName(last)}@${company.domain}`;
    if (id === operatorWithPasscode) return person(id, role, company.id, first, last, withPasscode(company));
    if (role !== "driver") return person(id, role, company.id, first, last, { email, contact_phone_number: phone });
    // Some drivers sign in by phone only.
    const login = chance.percent(30) ? { phone_number: phone } : { email, phone_number: phone };
    return person(id, role, company.id, first, last, { ...login, profile_id: 5000 + id });
  });
}

function withPasscode({ domain }: DemoCompany): More {
  return { email: `operator@${domain}`, password: demoPassword, passcode: demoPasscode };
}

type More = Partial<Record<"email" | "phone_number" | "contact_phone_number" | "password" | "passcode", string>>;

function person(
  id: number,
  role: Role,
  companyId: number | null,
  first_name: string,
  last_name: string,
  more: More & { profile_id?: number },
) {
  const positions: Record<Role, string> = {
    admin: "Platform administrator",
    operator: "Transport planner",
    client: "Finance controller",
    driver: "Driver",
  };
  const nothing = { email: null, phone_number: null, contact_phone_number: null, profile_id: null };
  const job_position = positions[role];
  return { id, role, financial_company_id: companyId, first_name, last_name, job_position, ...nothing, ...more };
}

function asciiName(name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/[^A-Za-z]/g, "")
    .toLowerCase();
}
