-- Counts of the running minute: after a crash they begin anew. The columns are those that rate-limiter-flexible wants.
CREATE UNLOGGED TABLE "request_count" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "request_count_pkey" PRIMARY KEY ("key")
);
