import { Duration } from "aws-cdk-lib";
import * as apigateway from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Construct } from "constructs";
import type { Operation } from "../../../shared/contract/operation.ts";
import { namesOf } from "../../stages/names.ts";
import type { Stage, Throttle } from "../../stages/stage-shape.ts";
import { edgeOf } from "../../stages/stage-shape.ts";
import { isAnsweredFrozen } from "../compute/freeze.ts";
import type { ServiceFunction } from "../compute/service-function.ts";
import type { GeneratedSecret } from "../stores/generated-secret.ts";
import { logAccess } from "./access-log.ts";
import { addDomain } from "./api-domain.ts";
import { answerHeaders, requestHeaders, tracingHeaders } from "./headers.ts";

/** Routes, each with its integration and permission, that a deploy makes at the same time. */
const routesAtOnce = 3;

/** The HTTP API that clients call. */
export class Api extends Construct {
  readonly httpApi: apigateway.HttpApi;
  readonly baseUrl: string;
  readonly #stage: apigateway.CfnStage;
  readonly #throttleOfAll: Throttle;
  readonly #integrations = new Map<ServiceFunction, HttpLambdaIntegration>();
  readonly #routes: apigateway.HttpRoute[] = [];
  readonly #routeSettings: Record<string, unknown> = {};

  /** `edgeSecret` is the secret that the stage's edge sends, if it has an edge. */
  constructor(scope: Construct, id: string, stage: Stage, edgeSecret?: GeneratedSecret) {
    super(scope, id);
    const { name, origins, throttle, customDomain } = stage;
    const edge = edgeOf(stage);
    this.#throttleOfAll = throttle;
    this.httpApi = new apigateway.HttpApi(this, "HttpApi", {
      apiName: namesOf(name).api,
      createDefaultStage: false,
      // Clients call the edge. Its domain's regional name stays open: those calls are counted by their own address.
      disableExecuteApiEndpoint: edge !== undefined,
      // Phones reach an IPv4-only API through addresses that thousands share. Limits by address would refuse them all.
      ipAddressType: apigateway.IpAddressType.DUAL_STACK,
      corsPreflight: {
        allowOrigins: [...origins],
        allowMethods: (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map(
          (each) => apigateway.CorsHttpMethod[each],
        ),
        allowHeaders: [...requestHeaders, ...tracingHeaders],
        exposeHeaders: [...answerHeaders],
        maxAge: Duration.hours(1),
      },
    });
    const defaultStage = this.httpApi.addStage("DefaultStage", {
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: logAccess(this, stage),
      // Metrics by route cost as much as a small stage. Each function has its own calls, errors and times without them.
      detailedMetricsEnabled: false,
    });
    this.baseUrl = edge && customDomain ? `https://${customDomain.name}` : this.httpApi.apiEndpoint;
    if (customDomain) {
      const before = edge && edgeSecret && { stageName: name, edge, secret: edgeSecret };
      addDomain(new Construct(this, "Domain"), { ...customDomain, api: this.httpApi, stage: defaultStage, before });
    }
    this.#stage = defaultStage.node.defaultChild as apigateway.CfnStage;
  }

  /**
   * Routes a method and path to a function, with a throttle if one is given; and HEAD, if the
   * operation answers it. What a frozen stage answers has the throttle of all as one of its own, which stays.
   */
  route(operation: Operation, service: ServiceFunction, throttle?: Throttle): void {
    const own = throttle ?? (isAnsweredFrozen(operation) ? this.#throttleOfAll : undefined);
    const add = (method: "HEAD" | Operation["method"], id?: string) => {
      const { path } = operation;
      const route = this.#add(apigateway.HttpRouteKey.with(path, apigateway.HttpMethod[method]), service, id);
      if (own) this.#throttle(route, `${method} ${path}`, own);
    };
    add(operation.method);
    if (operation.answersHead) add("HEAD", "Head");
  }

  /** Routes every request of these paths to one function, which refuses methods that its files do not take. Each path has an id. */
  filesRoutes(paths: Readonly<Record<string, string>>, service: ServiceFunction): void {
    for (const [id, path] of Object.entries(paths))
      this.#add(apigateway.HttpRouteKey.with(path, apigateway.HttpMethod.ANY), service, id);
  }

  /** Routes every other request to a function. */
  defaultRoute(service: ServiceFunction): void {
    this.#add(apigateway.HttpRouteKey.DEFAULT, service);
  }

  #add(routeKey: apigateway.HttpRouteKey, service: ServiceFunction, id = "Route"): apigateway.HttpRoute {
    const integration = this.#integrationOf(service);
    const route = new apigateway.HttpRoute(service, id, { httpApi: this.httpApi, routeKey, integration });
    // API Gateway's control plane takes ten calls a second, and CloudFormation makes at once what waits for nothing.
    route.node.addDependency(...this.#routes.slice(-routesAtOnce, 1 - routesAtOnce));
    this.#routes.push(route);
    return route;
  }

  /** The routes of a function share its integration. */
  #integrationOf(service: ServiceFunction): HttpLambdaIntegration {
    const made = this.#integrations.get(service) ?? new HttpLambdaIntegration("Integration", service.live);
    this.#integrations.set(service, made);
    return made;
  }

  #throttle(route: apigateway.HttpRoute, routeKey: string, { requestsPerSecond, burst }: Throttle): void {
    this.#routeSettings[routeKey] = { ThrottlingRateLimit: requestsPerSecond, ThrottlingBurstLimit: burst };
    this.#stage.routeSettings = this.#routeSettings;
    // API Gateway refuses settings of a route that does not exist yet.
    this.#stage.addResourceDependency(route.node.defaultChild as apigateway.CfnRoute);
  }
}
