-- AlterTable
ALTER TABLE "plan" ADD COLUMN     "supersedes_plan_id" TEXT;
