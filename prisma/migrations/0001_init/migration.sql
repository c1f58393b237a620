-- CreateTable
CREATE TABLE "context" (
    "key" TEXT NOT NULL,
    "tenant" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "wire_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "running" INTEGER NOT NULL DEFAULT 0,
    "push" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "context_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "objective" (
    "context_key" TEXT NOT NULL,
    "tenant" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "wire_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "newest_root_id" TEXT NOT NULL,
    "newest_state" TEXT NOT NULL,
    "roots_working" INTEGER NOT NULL DEFAULT 0,
    "roots_planning" INTEGER NOT NULL DEFAULT 0,
    "roots_interrupted" INTEGER NOT NULL DEFAULT 0,
    "roots_submitted" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "canceled" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "working" INTEGER NOT NULL DEFAULT 0,
    "blocked" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "objective_pkey" PRIMARY KEY ("context_key")
);

-- CreateTable
CREATE TABLE "plan" (
    "id" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "plan_index" INTEGER NOT NULL,
    "draft_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL,
    "end" TEXT,
    "unmet" INTEGER NOT NULL,
    "on_failure" TEXT NOT NULL,
    "alternative_to" TEXT,
    "alternative_by" TEXT,
    "covered" BOOLEAN NOT NULL DEFAULT false,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "waiting" INTEGER NOT NULL DEFAULT 0,
    "ready" INTEGER NOT NULL DEFAULT 0,
    "running" INTEGER NOT NULL DEFAULT 0,
    "input" INTEGER NOT NULL DEFAULT 0,
    "auth" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "ignored" INTEGER NOT NULL DEFAULT 0,
    "canceled" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "started" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plan_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "plan_dependency" (
    "plan_id" TEXT NOT NULL,
    "depends_on_id" TEXT NOT NULL,

    CONSTRAINT "plan_dependency_pkey" PRIMARY KEY ("plan_id","depends_on_id")
);

-- CreateTable
CREATE TABLE "task" (
    "id" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "tenant" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "root_id" TEXT NOT NULL,
    "plan_id" TEXT,
    "state" TEXT NOT NULL,
    "skipped" BOOLEAN NOT NULL DEFAULT false,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "parts" JSONB,
    "agent" TEXT,
    "skill" TEXT,
    "optional" BOOLEAN NOT NULL DEFAULT false,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "retry" JSONB NOT NULL,
    "timeout_seconds" DOUBLE PRECISION,
    "unmet" INTEGER NOT NULL DEFAULT 0,
    "entry" BOOLEAN NOT NULL DEFAULT true,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "lease" INTEGER NOT NULL DEFAULT 0,
    "runner" TEXT,
    "claimable_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "status_at" TIMESTAMPTZ(3) NOT NULL,
    "status_message" JSONB,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "request" JSONB NOT NULL DEFAULT '{}',
    "visible_at" TIMESTAMPTZ(3) NOT NULL,
    "hidden" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "task_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "planned_task" (
    "task_id" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "end" TEXT,
    "on_plan_failure" TEXT NOT NULL,
    "acted" BOOLEAN NOT NULL DEFAULT false,
    "waiting" INTEGER NOT NULL DEFAULT 0,
    "ready" INTEGER NOT NULL DEFAULT 0,
    "working" INTEGER NOT NULL DEFAULT 0,
    "blocked" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "covered" INTEGER NOT NULL DEFAULT 0,
    "canceled" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "input" INTEGER NOT NULL DEFAULT 0,
    "auth" INTEGER NOT NULL DEFAULT 0,
    "started" BOOLEAN NOT NULL DEFAULT false,
    "counted_as" TEXT,
    "total" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "planned_task_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "plan_task" (
    "plan_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "task_index" INTEGER NOT NULL,

    CONSTRAINT "plan_task_pkey" PRIMARY KEY ("plan_id","task_id")
);

-- CreateTable
CREATE TABLE "task_dependency" (
    "task_id" TEXT NOT NULL,
    "depends_on_id" TEXT NOT NULL,
    "reference" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "task_dependency_pkey" PRIMARY KEY ("task_id","depends_on_id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "id" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "agent" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "clock_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "remote_task_id" TEXT,
    "remote_context_id" TEXT,
    "maybe_duplicate" BOOLEAN NOT NULL DEFAULT false,
    "memo" JSONB,
    "answer_id" TEXT,
    "parked_times" INTEGER NOT NULL DEFAULT 0,
    "published" INTEGER NOT NULL DEFAULT 0,
    "takeovers" INTEGER NOT NULL DEFAULT 0,
    "outcome" TEXT,
    "error" TEXT,
    "usage" JSONB,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "runner" (
    "id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runner_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_slot" (
    "agent" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "holder" TEXT,
    "held_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_slot_pkey" PRIMARY KEY ("agent","n")
);

-- CreateTable
CREATE TABLE "message" (
    "id" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "task_id" TEXT,
    "position" INTEGER NOT NULL,
    "body" JSONB NOT NULL,

    CONSTRAINT "message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_key" (
    "tenant" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "context_id" TEXT NOT NULL,
    "content_hash" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "answer_task" TEXT,
    "answer_id" TEXT,
    "reservation" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_key_pkey" PRIMARY KEY ("tenant","owner","message_id","task_id","context_id")
);

-- CreateTable
CREATE TABLE "artifact" (
    "key" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "artifact_id" TEXT NOT NULL,
    "name" TEXT,
    "description" TEXT,
    "metadata" JSONB,
    "extensions" JSONB,
    "source_key" TEXT,
    "position" INTEGER NOT NULL,
    "part_count" INTEGER NOT NULL,

    CONSTRAINT "artifact_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "artifact_part" (
    "artifact_key" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "part" JSONB NOT NULL,

    CONSTRAINT "artifact_part_pkey" PRIMARY KEY ("artifact_key","n")
);

-- CreateTable
CREATE TABLE "input_request" (
    "id" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "root_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "message" JSONB,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),
    "answered_by" TEXT,

    CONSTRAINT "input_request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "context_key" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "root_id" TEXT,
    "plan_id" TEXT,
    "task_id" TEXT,
    "in_tree" BOOLEAN NOT NULL,
    "data" JSONB NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("context_key","seq")
);

-- CreateTable
CREATE TABLE "push_config" (
    "key" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "task_id" TEXT,
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "token" TEXT,
    "authentication" JSONB,
    "version" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_config_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" TEXT NOT NULL,
    "tenant" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "context_key" TEXT NOT NULL,
    "config_key" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "task_id" TEXT,
    "seq" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_status" INTEGER,
    "last_error" TEXT,
    "next_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_queue" (
    "config_key" TEXT NOT NULL,
    "pending" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "held_until" TIMESTAMPTZ(3),
    "lease" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_queue_pkey" PRIMARY KEY ("config_key")
);

-- CreateTable
CREATE TABLE "webhook_key" (
    "id" TEXT NOT NULL,
    "private_jwk" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "tenant" TEXT NOT NULL,
    "principal" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "context_tenant_owner_wire_id_key" ON "context"("tenant", "owner", "wire_id");

-- CreateIndex
CREATE INDEX "objective_tenant_owner_created_at_context_key_idx" ON "objective"("tenant", "owner", "created_at" DESC, "context_key");

-- CreateIndex
CREATE UNIQUE INDEX "plan_alternative_to_key" ON "plan"("alternative_to");

-- CreateIndex
CREATE INDEX "plan_task_id_plan_index_idx" ON "plan"("task_id", "plan_index");

-- CreateIndex
CREATE INDEX "plan_context_key_idx" ON "plan"("context_key");

-- CreateIndex
CREATE INDEX "plan_dependency_depends_on_id_idx" ON "plan_dependency"("depends_on_id");

-- CreateIndex
CREATE INDEX "task_tenant_owner_status_at_id_idx" ON "task"("tenant", "owner", "status_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "task_context_key_created_at_idx" ON "task"("context_key", "created_at");

-- CreateIndex
CREATE INDEX "planned_task_context_key_idx" ON "planned_task"("context_key");

-- CreateIndex
CREATE INDEX "plan_task_task_id_idx" ON "plan_task"("task_id");

-- CreateIndex
CREATE INDEX "task_dependency_depends_on_id_idx" ON "task_dependency"("depends_on_id");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_task_id_number_key" ON "attempt"("task_id", "number");

-- CreateIndex
CREATE INDEX "agent_slot_holder_idx" ON "agent_slot"("holder");

-- CreateIndex
CREATE INDEX "message_task_id_position_idx" ON "message"("task_id", "position");

-- CreateIndex
CREATE INDEX "message_context_key_position_idx" ON "message"("context_key", "position");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_task_id_artifact_id_key" ON "artifact"("task_id", "artifact_id");

-- CreateIndex
CREATE INDEX "input_request_context_key_closed_at_idx" ON "input_request"("context_key", "closed_at");

-- CreateIndex
CREATE INDEX "input_request_task_id_idx" ON "input_request"("task_id");

-- CreateIndex
CREATE INDEX "push_config_context_key_idx" ON "push_config"("context_key");

-- CreateIndex
CREATE UNIQUE INDEX "push_config_scope_id_key" ON "push_config"("scope", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_tenant_owner_id_idx" ON "webhook_delivery"("tenant", "owner", "id" DESC);

-- What the schema cannot say.

-- The queue: tasks that can be claimed, by when. Empty but for what is ready, waiting for a retry, or parked.
CREATE INDEX "task_claimable" ON "task" ("priority" DESC, "claimable_at") WHERE "claimable_at" IS NOT NULL;
-- When the next of them can be.
CREATE INDEX "task_due" ON "task" ("claimable_at") WHERE "claimable_at" IS NOT NULL;
-- What a runner holds, for taking it over.
CREATE INDEX "task_runner" ON "task" ("runner") WHERE "runner" IS NOT NULL;
CREATE INDEX "task_plan" ON "task" ("plan_id") WHERE "plan_id" IS NOT NULL;
-- What a follow-up builds on: a context's newest ended root, and its open ones.
CREATE INDEX "task_ended_roots" ON "task" ("context_key", "status_at" DESC, "id" DESC)
  WHERE "id" = "root_id" AND "state" IN ('completed', 'failed', 'canceled', 'rejected');
CREATE INDEX "task_open_roots" ON "task" ("context_key")
  WHERE "id" = "root_id" AND "state" NOT IN ('completed', 'failed', 'canceled', 'rejected');
-- The newest remote context of an objective and an agent.
CREATE INDEX "attempt_remote_context" ON "attempt" ("context_key", "agent", "started_at" DESC)
  WHERE "remote_context_id" IS NOT NULL;

ALTER TABLE "context" ADD CONSTRAINT "context_running_counts" CHECK ("running" >= 0);
ALTER TABLE "task" ADD CONSTRAINT "task_unmet_counts" CHECK ("unmet" >= 0);
ALTER TABLE "task" ADD CONSTRAINT "task_claimable_is_open"
  CHECK ("claimable_at" IS NULL OR "state" NOT IN ('completed', 'failed', 'canceled', 'rejected'));

-- What is to be delivered next to a push configuration, and which configurations have something to deliver.
CREATE INDEX "webhook_delivery_pending" ON "webhook_delivery" ("config_key", "seq") WHERE "state" = 'pending';
CREATE INDEX "webhook_queue_due" ON "webhook_queue" ("due_at") WHERE "due_at" IS NOT NULL;
-- Deliveries that are over, for forgetting them.
CREATE INDEX "webhook_delivery_ended" ON "webhook_delivery" ("ended_at") WHERE "ended_at" IS NOT NULL;

ALTER TABLE "context" ADD CONSTRAINT "context_push_counts" CHECK ("push" >= 0);
ALTER TABLE "webhook_queue" ADD CONSTRAINT "webhook_queue_is_due"
  CHECK ("pending" >= 0 AND ("pending" = 0) = ("due_at" IS NULL));
