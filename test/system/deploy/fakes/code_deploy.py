"""
A fake CodeDeploy, as far as releases of functions go: it tries a new version out for a moment, goes back where an
alarm of its group is on, and refuses an alias that somebody else moved. It leads no share of the calls to the new version.
"""

import time

from ministack.services import cloudwatch
from ministack.services.cloudformation import _stacks, provisioners

from .resource_types import handlers, kind

canary_seconds = 0.5
groups = {}
applications = {}
# The versions that stacks published, by stack and logical id.
made = {}


def add_code_deploy():
    handlers["AWS::CodeDeploy::Application"] = kind(lambda name, props: (name, {}), applications)
    handlers["AWS::CodeDeploy::DeploymentGroup"] = kind(put_group, groups)
    alias = handlers["AWS::Lambda::Alias"]
    move = alias["update"]

    def update(physical_id, old, new, stack_name, logical_id=None):
        policy = provisioners._cfn_wait_condition_definition(stack_name, logical_id).get("UpdatePolicy", {})
        released = policy.get("CodeDeployLambdaAliasUpdate")
        if released and old["FunctionVersion"] != new["FunctionVersion"]:
            group = _stacks[stack_name]["_resources"][released["DeploymentGroupName"]["Ref"]]["PhysicalResourceId"]
            try:
                deploy(groups[group], old, new)
            except ValueError:
                failed = f"{physical_id.rsplit(':', 1)[0]}:{new['FunctionVersion']}"
                remove_failed(next(place for place, (arn, _) in made.items() if arn == failed), new)
                raise
        return move(physical_id, old, new, stack_name, logical_id)

    alias["update"] = update
    keep_versions_on_the_way_back()


def keep_versions_on_the_way_back():
    """
    An update of a nested stack that goes back finds the versions of before, and removes its own where their policy says so;
    MiniStack publishes the ones of before again.
    """
    version = handlers["AWS::Lambda::Version"]
    publish = version["create"]

    def create(logical_id, props, stack_name):
        known = made.get((stack_name, logical_id))
        if not known:
            made[stack_name, logical_id] = publish(logical_id, props, stack_name)
            return made[stack_name, logical_id]
        # One policy holds for the versions of a function; the template that is gone back to has the older ones alone.
        if provisioners._cfn_wait_condition_definition(stack_name, logical_id).get("DeletionPolicy") != "Retain":
            for place in [each for each, (arn, _) in made.items() if is_newer(arn, known[0])]:
                version["delete"](made.pop(place)[0], props)
        return known

    version["create"] = create


def remove_failed(place, props):
    """Removes a version that a failed update published, where its policy says so."""
    if provisioners._cfn_wait_condition_definition(*place).get("DeletionPolicy") != "Retain":
        handlers["AWS::Lambda::Version"]["delete"](made.pop(place)[0], props)


def is_newer(arn, known):
    (function, number), (known_function, known_number) = (each.rsplit(":", 1) for each in (arn, known))
    return function == known_function and int(number) > int(known_number)


def put_group(name, props):
    groups[name] = props
    return name, {}


def deploy(group, old, new):
    alias = alias_of(new)
    version = alias["FunctionVersion"]
    if version == new["FunctionVersion"]:
        return
    if version != old["FunctionVersion"]:
        raise ValueError(
            f"CodeDeploy: the alias leads to version {version}, and not to {old['FunctionVersion']}, which it is to replace"
        )
    if "Canary" not in group["DeploymentConfigName"]:
        return
    alias["RoutingConfig"] = {"AdditionalVersionWeights": {new["FunctionVersion"]: 0.1}}
    try:
        watch(group)
    finally:
        alias.pop("RoutingConfig", None)


def watch(group):
    alarms = [each["Name"] for each in group["AlarmConfiguration"].get("Alarms", [])]
    end = time.monotonic() + canary_seconds
    while time.monotonic() < end:
        for name in alarms:
            if cloudwatch._alarms[name]["StateValue"] == "ALARM":
                raise ValueError(f"CodeDeploy: the alarm {name} is on")
        time.sleep(0.05)


def alias_of(props):
    function = provisioners._lambda_function_for_cfn_ref(props["FunctionName"])[0]
    return function["aliases"][props["Name"]]
