-- Public pages of state, each opened by its link alone (server/targets/status-pages.ts). `tag`: of these targets alone; null for all.
CREATE TABLE "status_page" (
  "id" UUID NOT NULL,
  "title" TEXT NOT NULL,
  "tag" TEXT,
  "share_hash" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "status_page_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "status_page_share_hash_key" ON "status_page"("share_hash");
