"""Kinds of resources that MiniStack's CloudFormation cannot make, though its services have most of them."""

import json

from ministack.services import apigateway, backup, budgets, cloudwatch, cloudwatch_logs, dynamodb, eventbridge, iam
from ministack.services import lambda_svc, secretsmanager, sqs, ssm
from ministack.services.cloudformation import changesets, provisioners

handlers = provisioners._RESOURCE_HANDLERS

# What has a fixed name: its property, and what has such a name by now. A deleted secret has it until its days are over.
named = {
    "AWS::Backup::BackupVault": ("BackupVaultName", backup._vaults),
    "AWS::CloudWatch::Alarm": ("AlarmName", cloudwatch._alarms),
    "AWS::CloudWatch::CompositeAlarm": ("AlarmName", cloudwatch._composite_alarms),
    "AWS::DynamoDB::GlobalTable": ("TableName", dynamodb._tables),
    "AWS::Events::EventBus": ("Name", eventbridge._event_buses),
    "AWS::IAM::Role": ("RoleName", iam._roles),
    "AWS::Lambda::Function": ("FunctionName", lambda_svc._functions),
    "AWS::Logs::LogGroup": ("LogGroupName", cloudwatch_logs._log_groups),
    "AWS::SQS::Queue": ("QueueName", sqs._queue_name_to_url),
    "AWS::SSM::Parameter": ("Name", ssm._parameters),
    "AWS::SecretsManager::Secret": ("Name", secretsmanager._secrets),
}


def add_resource_types():
    keep_alarms_on_metric_math()
    name_dkim_tokens()
    say_that_mappings_are_disabled()
    adopt_global_tables()
    change_indexes_as_dynamodb_does()
    handlers["AWS::CloudWatch::CompositeAlarm"] = kind(put_composite_alarm, cloudwatch._composite_alarms)
    handlers["AWS::Backup::BackupSelection"] = kind(put_selection, backup._selections)
    handlers["AWS::Budgets::Budget"] = kind(put_budget, budgets._budgets)
    # Nothing releases by these: an alias moves at once.
    for name in ("Application", "DeploymentGroup"):
        handlers[f"AWS::CodeDeploy::{name}"] = kind(lambda name, props: (name, {}), {})
    handlers["AWS::Events::EventBusPolicy"] = kind(put_bus_policy, eventbridge._event_bus_policies)
    refuse_taken("AWS::ApiGatewayV2::Route", "RouteKey", is_route_taken)
    for resource_type, (name, stored) in named.items():
        refuse_taken(resource_type, name, lambda props, name=name, stored=stored: props.get(name) in stored)


def kind(put, stored):
    """What makes, changes and removes a kind of resource, by a function that writes one under its name."""

    def create(logical_id, props, stack_name):
        return put(provisioners._physical_name(stack_name, logical_id), props)

    def update(physical_id, old, new, stack_name):
        return put(physical_id, new)

    return {"create": create, "update": update, "delete": lambda physical_id, props: stored.pop(physical_id, None)}


def required(answer):
    """What a service answered; a refusal fails the resource."""
    status, _, body = answer
    if status >= 400:
        raise ValueError(bytes(body).decode())
    return json.loads(body or b"{}")


def keep_alarms_on_metric_math():
    """An alarm on several metrics is kept as it is. Nothing evaluates it: it has the state that it is set to."""
    record_of = provisioners._cw_metric_alarm_record

    def record(name, props):
        if not props.get("Metrics"):
            return record_of(name, props)
        kept = record_of(name, {**props, "Metrics": None, "MetricName": "math", "Namespace": "math"})
        return {**kept, "MetricName": "", "Namespace": ""}

    provisioners._cw_metric_alarm_record = record


def say_that_mappings_are_disabled():
    """A mapping that is made disabled does not work, and says so: MiniStack says that it does."""
    resource = handlers["AWS::Lambda::EventSourceMapping"]
    create = provisioners._lambda_esm_create

    def create_as_asked(logical_id, props, stack_name):
        made = create(logical_id, props, stack_name)
        if props.get("Enabled") is False:
            lambda_svc._esms[made[0]]["State"] = "Disabled"
        return made

    # A replacement is made by the same function.
    provisioners._lambda_esm_create = create_as_asked
    resource["create"] = create_as_asked


def refuse_taken(resource_type, name, is_taken):
    """What has a fixed name cannot be made while another resource has that name: MiniStack makes a second one, or takes it over."""
    create = handlers[resource_type]["create"]

    def create_once(logical_id, props, stack_name):
        if is_taken(props):
            raise ValueError(f"{resource_type} {props[name]} already exists")
        return create(logical_id, props, stack_name)

    handlers[resource_type]["create"] = create_once


def is_route_taken(props):
    routes = apigateway._routes.get(props.get("ApiId"), {}).values()
    return any(route["routeKey"] == props["RouteKey"] for route in routes)


def change_indexes_as_dynamodb_does():
    """An index is added or removed, one an update, and its ceiling alone is changed; MiniStack does all of it at once."""
    table = handlers["AWS::DynamoDB::GlobalTable"]
    change = table["update"]

    def update(physical_id, old, new, stack_name):
        def indexes_of(props):
            return {each["IndexName"]: without_ceiling(each) for each in props.get("GlobalSecondaryIndexes", [])}

        before, after = indexes_of(old), indexes_of(new)
        if any(before[name] != after[name] for name in before.keys() & after.keys()):
            raise ValueError("Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights Specification")
        if len(before.keys() ^ after.keys()) > 1:
            raise ValueError("Cannot perform more than one GSI creation or deletion in a single update")
        return change(physical_id, old, new, stack_name)

    table["update"] = update


def without_ceiling(index):
    return {name: value for name, value in index.items() if name != "WriteOnDemandThroughputSettings"}


def put_composite_alarm(name, props):
    given = {"AlarmName": name, **props}
    required(cloudwatch._put_composite_alarm({}, given, False, is_json=True))
    alarm = cloudwatch._composite_alarms[given["AlarmName"]]
    return alarm["AlarmName"], {"Arn": alarm["AlarmArn"]}


def put_selection(name, props):
    backup._selections.pop(name, None)
    made = required(backup._create_selection(props["BackupPlanId"], props))
    return made["SelectionId"], {"SelectionId": made["SelectionId"], "BackupPlanId": made["BackupPlanId"]}


def put_budget(name, props):
    budget = {"BudgetName": name, **props["Budget"]}
    budgets._budgets.pop(budget["BudgetName"], None)
    required(budgets._create_budget({**props, "Budget": {**budget, "BudgetLimit": amount_of(budget)}}))
    return budget["BudgetName"], {}


def put_bus_policy(name, props):
    bus = props["EventBusName"]
    eventbridge._event_bus_policies[bus] = {"Version": "2012-10-17", "Statement": [props["Statement"]]}
    return bus, {}


def amount_of(budget):
    limit = budget["BudgetLimit"]
    return {**limit, "Amount": str(limit["Amount"])}


def name_dkim_tokens():
    """A domain's identity says what DNS must say for it, before it is proven."""
    identity = handlers["AWS::SES::EmailIdentity"]
    create = identity["create"]

    def with_tokens(logical_id, props, stack_name):
        physical_id, attributes = create(logical_id, props, stack_name)
        names = {f"DkimDNSTokenName{at}": f"token{at}._domainkey.{physical_id}" for at in (1, 2, 3)}
        values = {f"DkimDNSTokenValue{at}": f"token{at}.dkim.amazonses.com" for at in (1, 2, 3)}
        return physical_id, {**attributes, **names, **values}

    identity["create"] = with_tokens


def adopt_global_tables():
    """A deploy takes an existing table into the stack in this form as well."""
    handlers["AWS::DynamoDB::GlobalTable"]["import"] = handlers["AWS::DynamoDB::Table"]["import"]
    lookups = changesets._IMPORT_LOOKUPS
    lookups["AWS::DynamoDB::GlobalTable"] = lookups["AWS::DynamoDB::Table"]
