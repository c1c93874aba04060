# The action's image. No tag of the base is more exact than its minor version here;
# whoever publishes an image pins it by digest.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONUTF8=1 PYTHONPATH=/opt/rag-eval

COPY requirements/runtime.txt /tmp/runtime.txt
RUN python -m pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore \
      --only-binary :all: --require-hashes --compile -r /tmp/runtime.txt \
 && rm /tmp/runtime.txt

COPY templates /opt/rag-eval/templates
COPY runner /opt/rag-eval/runner
# Compiled once here, and never again: each run starts a fresh container.
RUN python -m compileall -q /opt/rag-eval/runner
ENV PYTHONDONTWRITEBYTECODE=1

# Exec form: a shell in between would drop variables such as INPUT_FAIL-ON.
ENTRYPOINT ["python", "-m", "runner", "action"]
