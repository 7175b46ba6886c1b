"""Runs MiniStack as the tests of a deploy need it: where this file differs from MiniStack, AWS does too."""

import json
import os
import signal
import sys
import threading
from urllib.parse import parse_qs

from ministack import app as ministack
from ministack.core import iam_actions, iam_evaluator, lambda_runtime
from ministack.services import apigateway, eventbridge, lambda_svc, scheduler
from ministack.services.cloudformation import provisioners

from fakes.actions import add_actions
from fakes.resource_types import add_resource_types


def name_secrets_by_arn():
    """Ref of a secret is its ARN, which the rights of functions name; MiniStack has its name there."""
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def name_of(physical_id):
        secrets = provisioners._sm._secrets
        return next((name for name, secret in secrets.items() if secret["ARN"] == physical_id), physical_id)

    def by_arn(result):
        _, attributes = result
        return attributes["Arn"], attributes

    handlers["create"] = lambda *given: by_arn(create(*given))
    handlers["update"] = lambda physical_id, *given: by_arn(update(name_of(physical_id), *given))
    handlers["delete"] = lambda physical_id, props: delete(name_of(physical_id), props)


def judge_mails_by_sender():
    """Sending a mail is a right to an identity, under the condition of the sender's address. AWS asks for the right to the
    configuration set as well, and in SES's sandbox for that to the recipients' identities; the template has both, and a test holds
    them (test/infra/constructs/messages/messages.test.ts), as here nobody asks."""
    arn_of, context_of = iam_actions.extract_resource_arn, iam_actions.request_tag_context

    def sender_of(service, body):
        return parse_qs(bytes(body or b"").decode()).get("Source", [""])[0] if service == "ses" else ""

    def extract_resource_arn(service, method, path, headers, body, query_params, region, account_id):
        sender = sender_of(service, body)
        if sender:
            return f"arn:aws:ses:{region}:{account_id}:identity/{sender}"
        return arn_of(service, method, path, headers, body, query_params, region, account_id)

    def request_tag_context(service, action, body, query_params):
        sender = sender_of(service, body)
        return {**context_of(service, action, body, query_params), **({"ses:FromAddress": sender} if sender else {})}

    iam_actions.extract_resource_arn = extract_resource_arn
    iam_actions.request_tag_context = request_tag_context


def judge_streams_and_versions_by_themselves():
    """To look at a stream is a right to it, and to call a version or an alias one to that; the emulator knows tables and functions alone."""
    arn_of = iam_actions.extract_resource_arn

    def extract_resource_arn(service, method, path, headers, body, query_params, *place):
        if headers.get("x-amz-target", "").startswith("DynamoDBStreams_"):
            return json.loads(body)["StreamArn"]
        arn = arn_of(service, method, path, headers, body, query_params, *place)
        qualifier = query_params.get("Qualifier", []) if path.endswith("/invocations") else []
        return ":".join([arn, *([qualifier] if isinstance(qualifier, str) else qualifier)])

    iam_actions.extract_resource_arn = extract_resource_arn


def judge_events_by_the_policy_of_their_bus():
    """A bus has a policy, which denies by the role of whoever puts events there, and not by the role's session."""
    resolve = iam_evaluator._resolve_condition_key

    def policy_of(arn):
        policy = eventbridge._event_bus_policies.get(arn.rsplit("/", 1)[-1])
        return policy and (policy, arn.split(":")[4])

    def resolve_condition_key(key, context):
        found = resolve(key, context)
        if key.lower() != "aws:principalarn" or ":assumed-role/" not in found:
            return found
        return f"arn:aws:iam::{found.split(':')[4]}:role/{found.split('/')[1]}"

    eventbridge.bus_policy_for_arn = policy_of
    iam_evaluator._RESOURCE_POLICY_LOOKUPS["events"] = ("eventbridge", "bus_policy_for_arn")
    iam_evaluator._resolve_condition_key = resolve_condition_key


def judge_batches_by_their_entries():
    """There is no right to a batch of SQS: each of its entries wants the right to do the same alone."""
    action_of = iam_actions.extract_iam_action

    def extract_iam_action(*given):
        action = action_of(*given)
        return action.removesuffix("Batch") if (action or "").startswith("sqs:") else action

    iam_actions.extract_iam_action = extract_iam_action


def name_partitions():
    """What a call of DynamoDB reads and writes is named by partition, on which the rights of functions depend."""
    context_of = iam_actions.request_tag_context

    def request_tag_context(service, action, body, query_params):
        keys = leading_keys(json.loads(body or b"{}")) if service == "dynamodb" else []
        context = context_of(service, action, body, query_params)
        return {**context, "dynamodb:leadingkeys": keys} if keys else context

    iam_actions.request_tag_context = request_tag_context


def leading_keys(call):
    """The partitions that a call names: those of its keys and items, or the one of its query."""
    if "KeyConditionExpression" in call:
        attribute, value = call["KeyConditionExpression"].split(" AND ")[0].split(" = ")
        names, values = call.get("ExpressionAttributeNames", {}), call["ExpressionAttributeValues"]
        return [values[value]["S"]] if names.get(attribute, attribute) == "pk" else []
    asked = call.get("RequestItems", {}).values()
    reads = [key for table in asked if isinstance(table, dict) for key in table["Keys"]]
    writes = [part for table in asked if isinstance(table, list) for request in table for part in request.values()]
    transaction = [part for item in call.get("TransactItems", []) for part in item.values()]
    keys = [part.get("Key") or part.get("Item") or part for part in [call, *reads, *writes, *transaction]]
    return [key["pk"]["S"] for key in keys if isinstance(key.get("pk"), dict)]


def match_what_is_absent():
    """A filter that wants a leaf of an event not to exist matches where its parent does not exist either."""
    match_leaf = lambda_svc._match_esm_filter

    def match(record, pattern):
        found = record if isinstance(record, dict) else {}
        return all(
            match(found.get(key), wanted) if isinstance(wanted, dict) else match_leaf(found, {key: wanted})
            for key, wanted in pattern.items()
        )

    lambda_svc._match_esm_filter = match


def throttle_routes():
    """An HTTP API refuses a route that has a limit of 0; MiniStack keeps limits, those of templates in their letter case, and uses none."""
    props_of, execute = provisioners._apigw_v2_stage_props, apigateway._handle_execute_in_scope

    def as_in_the_api(settings):
        return {key[:1].lower() + key[1:]: value for key, value in settings.items()}

    def props_as_in_the_api(props):
        made = props_of(props)
        routes = {route: as_in_the_api(own) for route, own in made["routeSettings"].items()}
        return {**made, "defaultRouteSettings": as_in_the_api(made["defaultRouteSettings"]), "routeSettings": routes}

    async def refuse_above_limits(api_id, stage, path, method, *others, **named):
        known = apigateway._stages.get(api_id, {}).get(stage, {})
        route = apigateway._match_route(api_id, method, "/" + path.lstrip("/")) or {}
        own = known.get("routeSettings", {}).get(route.get("routeKey"), {})
        limits = {**known.get("defaultRouteSettings", {}), **own}
        if method != "OPTIONS" and limits.get("throttlingRateLimit") == 0:
            return apigateway._apigw_response({"message": "Too Many Requests"}, 429)
        return await execute(api_id, stage, path, method, *others, **named)

    provisioners._apigw_v2_stage_props = props_as_in_the_api
    apigateway._handle_execute_in_scope = refuse_above_limits


def wait_for_log_lines():
    """
    The emulator takes a call's lines up to 50 ms after its answer. Each of our functions writes at least one: on a busy machine
    it comes later, and would be lost with the worker of a call that failed.
    """
    drain = lambda_runtime.Worker._drain_stderr_bounded

    def drain_stderr_bounded(self, **_):
        return drain(self, first_line_wait=2, idle_confirm=0.02, hard_cap=4)

    lambda_runtime.Worker._drain_stderr_bounded = drain_stderr_bounded


def answer_as_behind_tls(application, refusals):
    """Calls count as made over TLS, as AWS takes no others, and those that a role has no right to are written down."""

    async def serve(scope, receive, send):
        if scope["type"] != "http":
            return await application(scope, receive, send)
        headers = dict(scope["headers"])
        scope = {**scope, "headers": [*scope["headers"], (b"x-forwarded-proto", b"https")]}
        status = 0

        async def note(message):
            nonlocal status
            status = message.get("status", status)
            body = message.get("body", b"")
            if headers.get(b"authorization", b"").startswith(b"AWS4-") and status >= 400 and b":assumed-role/" in body:
                with open(refusals, "a") as file:
                    file.write(json.dumps(body.decode()) + "\n")
            await send(message)

        await application(scope, receive, note)

    return serve


def end_with_parent():
    """The parent holds the other end of standard input: when it is gone, however it went, so is the emulator."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


name_secrets_by_arn()
wait_for_log_lines()
judge_mails_by_sender()
judge_streams_and_versions_by_themselves()
judge_batches_by_their_entries()
judge_events_by_the_policy_of_their_bus()
name_partitions()
match_what_is_absent()
throttle_routes()
add_resource_types()
add_actions()
scheduler._SCHEDULE_TICK_INTERVAL = 1
ministack.app = answer_as_behind_tls(ministack.app, os.environ["REFUSALS_FILE"])
threading.Thread(target=end_with_parent, daemon=True).start()
ministack.main()
