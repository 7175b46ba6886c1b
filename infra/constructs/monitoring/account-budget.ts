import { Stack } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";

const warnAtPercent = 80;

/** Watches the account's monthly costs, if the stage sets a budget. Two budgets are free of charge in an account. */
export function addBudget(
  scope: Construct,
  { name, monthlyBudgetDollars: dollars, alarmAddress: address }: Stage,
): void {
  if (dollars === undefined || address === undefined) return;
  const subscribers = [{ subscriptionType: "EMAIL", address }];
  new CfnBudget(scope, "Budget", {
    budget: {
      budgetName: namesOf(name).budget(Stack.of(scope).region),
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount: dollars, unit: "USD" },
    },
    notificationsWithSubscribers: (["ACTUAL", "FORECASTED"] as const).map((notificationType) => ({
      notification: {
        notificationType,
        comparisonOperator: "GREATER_THAN",
        threshold: notificationType === "ACTUAL" ? warnAtPercent : 100,
      },
      subscribers,
    })),
  });
}
