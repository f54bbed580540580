# amd64 is what tests/shipping/test_dockerfile.py runs, step by step. For arm64 everything has a wheel but the
# engine, and nobody has run it yet: untested. There the rules, pips and three levels' plays are served.
FROM python:3.13-slim-trixie AS build
WORKDIR /source
COPY requirements requirements
# The slim image has no C++ compiler; requirements/build.txt brings one.
RUN python -m pip install --no-cache-dir --no-compile --require-hashes -r requirements/build.txt \
    && python -m venv --without-pip /opt/bgbotd \
    && python -m pip --python /opt/bgbotd/bin/python install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY build_backend build_backend
COPY clients/python clients/python
COPY bgbotd bgbotd
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir wheels . ./clients/python \
    && python -m pip --python /opt/bgbotd/bin/python install --no-cache-dir --no-deps wheels/*.whl
# A read-only container cannot keep the bear-off table, so it brings it along. (-P: not from the source beside it.)
RUN /opt/bgbotd/bin/python -P -c "import pathlib; from bgbotd.evaluation.bearoff import BearoffTable; \
BearoffTable.open(pathlib.Path('/opt/bgbotd/cache'))" \
    && chmod a+r /opt/bgbotd/cache/*

FROM python:3.13-slim-trixie
LABEL org.opencontainers.image.title="bgbotd" \
      org.opencontainers.image.description="A backgammon bot daemon: rules, bots and evaluation over gRPC" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /opt/bgbotd /opt/bgbotd
# Health alone has an address of its own, so that the check below holds with TLS and tokens as well.
ENV PATH=/opt/bgbotd/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    BGBOTD_ENGINE_CACHE_FOLDER=/opt/bgbotd/cache \
    BGBOTD_HEALTH_LISTEN=127.0.0.1:50052
# A number, so that Kubernetes can see that it is not root.
USER 65532:65532
EXPOSE 50051
HEALTHCHECK --interval=15s --timeout=5s --start-period=15s CMD ["bgbotd", "health"]
ENTRYPOINT ["bgbotd"]
# Within a container's own network; with TLS: serve --listen 0.0.0.0:50051 --tls.certificate ... --tls.key ...
CMD ["serve", "--listen", "0.0.0.0:50051", "--insecure"]
