FROM python:3.13-slim-trixie AS build
WORKDIR /source
COPY requirements requirements
# The slim image has no C++ compiler; requirements/build.txt brings one.
RUN python -m pip install --no-cache-dir --require-hashes -r requirements/build.txt \
    && python -m venv /opt/bgbotd \
    && /opt/bgbotd/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY build_backend build_backend
COPY clients/python clients/python
COPY bgbotd bgbotd
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir wheels . ./clients/python \
    && /opt/bgbotd/bin/pip install --no-cache-dir --no-deps wheels/*.whl

FROM python:3.13-slim-trixie
COPY --from=build /opt/bgbotd /opt/bgbotd
ENV PATH=/opt/bgbotd/bin:$PATH PYTHONUNBUFFERED=1
# A number, so that Kubernetes can see that it is not root.
USER 65532:65532
EXPOSE 50051
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["python", "-c", "\
import grpc; \
from grpc_health.v1 import health_pb2 as messages, health_pb2_grpc as service; \
health = service.HealthStub(grpc.insecure_channel('127.0.0.1:50051')); \
answer = health.Check(messages.HealthCheckRequest(), timeout=2); \
raise SystemExit(answer.status != messages.HealthCheckResponse.SERVING)"]
ENTRYPOINT ["bgbotd"]
# Within a container's own network; with TLS: serve --listen 0.0.0.0:50051 --tls.certificate ... --tls.key ...
CMD ["serve", "--listen", "0.0.0.0:50051", "--insecure"]
