# The gate's environment belongs to root, the suite's to another user: gate/sandbox/worlds.py.
FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY requirements/action.txt requirements/build.txt requirements/
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install --quiet --require-hashes -r requirements/build.txt \
    && /opt/build/bin/pip download --quiet --require-hashes --only-binary :all: -d /wheels -r requirements/action.txt
COPY pyproject.toml README.md LICENSE ./
COPY docs/rules.md docs/rules.md
COPY examples/banking_agent examples/banking_agent
COPY examples/coding_agent examples/coding_agent
COPY examples/credit examples/credit
COPY examples/tumour_model examples/tumour_model
COPY gate gate
# The suite's environment gets the plugin alone: the gate's command has no place there. NumPy, which judges trials, is
# root's, once for both; a version that the suite installs itself comes first.
RUN /opt/build/bin/pip wheel --quiet --no-deps --no-build-isolation -w /wheels . \
    && python -m venv --without-pip /opt/gate \
    && /opt/build/bin/pip --python /opt/gate/bin/python install --quiet --no-index --find-links /wheels robustness-gate \
    && python -m venv /opt/suite \
    && /opt/suite/bin/pip install --quiet --no-index --find-links /wheels pytest \
    && /opt/suite/bin/pip install --quiet --no-index --find-links /wheels --no-deps robustness-gate \
    && rm /opt/suite/bin/gate \
    && mkdir /opt/shared \
    && mv /opt/gate/lib/python3*/site-packages/numpy* /opt/shared/ \
    && for site in /opt/gate/lib/python3*/site-packages /opt/suite/lib/python3*/site-packages; do \
    echo /opt/shared > "$site/shared.pth"; done

FROM python:3.13-slim
# git is the distribution's own, whose security updates a pinned version would miss.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --uid 10001 --create-home --home-dir /home/suite --shell /usr/sbin/nologin suite \
    && git config --system --add safe.directory '*'
COPY --from=build /opt/shared /opt/shared
COPY --from=build /opt/gate /opt/gate
COPY --from=build --chown=10001:10001 /opt/suite /opt/suite
ENTRYPOINT ["/opt/gate/bin/python", "-I", "-m", "gate.cli.action"]
