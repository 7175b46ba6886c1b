"""Sets an alarm off, as soon as there is one of that name."""

import sys
import time

from botocore.exceptions import ClientError
from botocore.session import get_session

cloudwatch = get_session().create_client("cloudwatch")
while True:
    try:
        cloudwatch.set_alarm_state(AlarmName=sys.argv[1], StateValue="ALARM", StateReason="made up")
        break
    except ClientError:
        time.sleep(0.02)
