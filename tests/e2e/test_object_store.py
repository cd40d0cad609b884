"""The object store of finished exports, against Ceph's gateway."""

from support.unit_tests import run_unit_tests


def test_files_live_in_a_real_object_store(object_store):
    run_unit_tests("s3", object_store.environment())


def test_a_bucket_that_is_full(object_store):
    object_store.set_quota(kilobytes=1024)
    try:
        run_unit_tests("s3-full", object_store.environment())
    finally:
        object_store.set_quota(None)


def test_certificates_are_verified(object_store, authority):
    run_unit_tests("s3-tls", {**object_store.environment(),
                              "EXPORTD_TEST_S3_TLS_ENDPOINT": object_store.tls_endpoint,
                              "EXPORTD_TEST_S3_CA_FILE": str(authority.ca_file)})
