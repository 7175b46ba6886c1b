import { withLocalService } from "../../../infra/tools/service/local-service.ts";

// A program of its own: a test's clients would keep the address of the engine that ends here.
await withLocalService(process.argv[2] ?? "", async () => {});
