"""
A fake CodeDeploy, as far as releases of functions go: it tries a new version out for a moment, goes back where an
alarm of its group is on, and refuses an alias that somebody else moved. It leads no share of the calls to the new version.
"""

import time

from ministack.services import cloudwatch
from ministack.services.cloudformation import _stacks, provisioners, stacks

from .resource_types import handlers, kind

canary_seconds = 1
groups = {}
applications = {}


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
            deploy(groups[group], old, new)
        return move(physical_id, old, new, stack_name, logical_id)

    alias["update"] = update
    # While a release is watched, the emulator takes calls.
    blocks = stacks._runs_on_worker_thread
    stacks._runs_on_worker_thread = lambda resource_type: resource_type == "AWS::Lambda::Alias" or blocks(resource_type)


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
