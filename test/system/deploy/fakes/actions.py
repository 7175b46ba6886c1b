"""Calls that MiniStack's services do not take: backups that can be restored or were locked, copies of secrets that go."""

import json
from urllib.parse import unquote

from ministack.services import backup, dynamodb, iam, secretsmanager

from .resource_types import required

points = {}
restores = []


def add_actions():
    keep_recovery_points()
    take_restore_jobs()
    drop_copies_of_secrets()


def drop_copies_of_secrets():
    handle = secretsmanager.handle_request

    async def handle_request(method, path, headers, body, query_params):
        if not headers.get("x-amz-target", "").endswith(".RemoveRegionsFromReplication"):
            return await handle(method, path, headers, body, query_params)
        asked = json.loads(body)
        secret = secretsmanager._secrets[asked["SecretId"]]
        kept = [each for each in secret["ReplicationStatus"] if each["Region"] not in asked["RemoveReplicaRegions"]]
        secret["ReplicationStatus"] = kept
        return secretsmanager.json_response({"ARN": secret["ARN"], "ReplicationStatus": kept})

    secretsmanager.handle_request = handle_request


def keep_recovery_points():
    """A backup job keeps the items of its table, and its vault lists what it kept."""
    start = backup._start_job

    def start_job(body):
        answer = start(body)
        job = required(answer)
        table = body["ResourceArn"].rsplit("/", 1)[-1]
        kept = required(dynamodb._create_backup({"TableName": table, "BackupName": "kept"}))
        points[job["RecoveryPointArn"]] = {
            "RecoveryPointArn": job["RecoveryPointArn"],
            "BackupVaultName": body["BackupVaultName"],
            "ResourceArn": body["ResourceArn"],
            "CreationDate": job["CreationDate"],
            "Status": "COMPLETED",
            "kept": kept["BackupDetails"]["BackupArn"],
        }
        return answer

    def list_points(vault_name, query):
        own = [point for point in points.values() if point["BackupVaultName"] == vault_name]
        return backup._ok({"RecoveryPoints": [{**point, "kept": None} for point in own]})

    backup._start_job = start_job
    backup._list_recovery_points_by_vault = list_points


def take_restore_jobs():
    handle = backup.handle_request

    async def handle_request(method, path, headers, body, query_params):
        if method == "DELETE" and path.endswith("/vault-lock"):
            return backup._no_content()
        if method == "DELETE" and "/recovery-points/" in path:
            del points[unquote(path).split("/recovery-points/")[1]]
            return backup._no_content()
        if method != "PUT" or path.strip("/") != "restore-jobs":
            return await handle(method, path, headers, body, query_params)
        asked = json.loads(body)
        role = iam._roles.get(asked["IamRoleArn"].rsplit("/", 1)[-1], {})
        if "backup.amazonaws.com" not in json.dumps(role.get("AssumeRolePolicyDocument", "")):
            return backup._err("InvalidParameterValueException", "AWS Backup cannot take the role of the restore")
        target = asked["Metadata"]["targetTableName"]
        kept = points[asked["RecoveryPointArn"]]["kept"]
        required(dynamodb._restore_table_from_backup({"TargetTableName": target, "BackupArn": kept}))
        restores.append({"RestoreJobId": target, "Status": "COMPLETED", "PercentDone": "100.00%"})
        return backup._ok({"RestoreJobId": target})

    backup.handle_request = handle_request
    backup._list_restore_jobs = lambda query: backup._ok({"RestoreJobs": restores[::-1]})
