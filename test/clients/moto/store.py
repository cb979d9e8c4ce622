"""Prepares a bucket with object lock in moto's server, and reads an object of it, with boto3."""

import hashlib
import json
import sys

import boto3
from botocore.exceptions import ClientError

BUCKET = "case-files"
REGION = "eu-central-1"
POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}],
}


def client(service, url, key="none", secret="none"):
    return boto3.client(
        service,
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
    )


def prepare(url):
    """Four calls without authentication: the server checks signatures from the fifth call on."""
    iam = client("iam", url)
    iam.create_user(UserName="verifier")
    iam.put_user_policy(UserName="verifier", PolicyName="store", PolicyDocument=json.dumps(POLICY))
    key = iam.create_access_key(UserName="verifier")["AccessKey"]
    client("s3", url).create_bucket(
        Bucket=BUCKET,
        ObjectLockEnabledForBucket=True,
        CreateBucketConfiguration={"LocationConstraint": REGION},
    )
    return {"access_key_id": key["AccessKeyId"], "secret_access_key": key["SecretAccessKey"]}


def read(url, key, secret, name):
    s3 = client("s3", url, key, secret)
    found = s3.get_object(Bucket=BUCKET, Key=name, ChecksumMode="ENABLED")
    try:
        s3.delete_object(Bucket=BUCKET, Key=name, VersionId=found["VersionId"])
        deletion = "deleted"
    except ClientError as error:
        deletion = error.response["Error"]["Code"]
    return {
        "sha256": hashlib.sha256(found["Body"].read()).hexdigest(),
        "checksum": found.get("ChecksumSHA256"),
        "mode": found.get("ObjectLockMode"),
        "until": found["ObjectLockRetainUntilDate"].isoformat(),
        "deletion": deletion,
    }


print(json.dumps({"prepare": prepare, "read": read}[sys.argv[1]](*sys.argv[2:])))
