import { Duration } from "aws-cdk-lib";
import { CorsHttpMethod, HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { Method } from "../../shared/contract/operation.ts";
import type { Stage } from "../stages.ts";

/** The HTTP API that clients call. */
export class Api extends Construct {
  readonly httpApi: HttpApi;

  constructor(scope: Construct, id: string, { origins, throttle }: Stage) {
    super(scope, id);
    this.httpApi = new HttpApi(this, "HttpApi", {
      createDefaultStage: false,
      corsPreflight: {
        allowOrigins: [...origins],
        allowMethods: [
          CorsHttpMethod.GET,
          CorsHttpMethod.POST,
          CorsHttpMethod.PUT,
          CorsHttpMethod.PATCH,
          CorsHttpMethod.DELETE,
        ],
        allowHeaders: ["authorization", "content-type", "idempotency-key"],
        exposeHeaders: [
          "per-page",
          "total",
          "link",
          "authorization",
          "retry-after",
          "x-request-id",
          "idempotency-replayed",
          "www-authenticate",
        ],
        maxAge: Duration.hours(1),
      },
    });
    this.httpApi.addStage("DefaultStage", {
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
    });
  }

  /** Routes a method and path to a function. */
  route(id: string, method: Method, path: string, fn: IFunction): void {
    this.add(id, HttpRouteKey.with(path, HttpMethod[method]), fn);
  }

  /** Routes what nothing else takes to a function. */
  routeRest(id: string, fn: IFunction): void {
    this.add(id, HttpRouteKey.DEFAULT, fn);
  }

  private add(id: string, routeKey: HttpRouteKey, fn: IFunction): void {
    new HttpRoute(this, id, {
      httpApi: this.httpApi,
      routeKey,
      integration: new HttpLambdaIntegration(`${id}-integration`, fn),
    });
  }
}
